import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { products } from '../../../../../features/cedar/product/product.api.ts'
import { ProductList } from '../../../../../features/cedar/product/product.list.tsx'
import { productList, productSearch } from '../../../../../features/cedar/product/product.search.ts'

export const Route = createFileRoute('/_app/dashboard/cedar/mobile/')({
  staticData: { title: msg`My apps` },
  validateSearch: productSearch,
  loaderDeps: ({ search }) => ({ page: productList.page(search) }),
  // Not awaited unless cached: the page shows its frame immediately and the table its skeleton.
  loader: ({ context: { queryClient, isAnswered }, deps: { page } }) => {
    const asked = queryClient.prefetchQuery(products.query(page))
    return isAnswered ? asked : undefined
  },
  component: ProductList,
})
