import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { ProductList } from '../../../../../features/cedar/product/product.list.tsx'
import { listQueryOf, productSearch } from '../../../../../features/cedar/product/product.search.ts'
import {
  productListQuery,
  providersQuery,
} from '../../../../../features/cedar/parts/product.api.ts'

export const Route = createFileRoute('/_app/dashboard/cedar/mobile/')({
  validateSearch: productSearch,
  loaderDeps: ({ search }) => listQueryOf(search),
  // Not awaited: the table shows its skeleton, and its error, in its own place.
  loader: ({ context: { queryClient }, deps }) => {
    void queryClient.prefetchQuery(productListQuery(deps))
    void queryClient.prefetchQuery(providersQuery)
  },
  staticData: { title: msg`My apps` },
  component: MyAppsPage,
})

function MyAppsPage() {
  const search = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <ProductList
      search={search}
      onSearch={(change) =>
        void navigate({ search: (current) => ({ ...current, ...change }), replace: 'q' in change })
      }
    />
  )
}
