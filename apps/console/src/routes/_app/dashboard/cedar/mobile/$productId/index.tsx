import { createFileRoute } from '@tanstack/react-router'
import { currentLocale } from '../../../../../../app/locale.ts'
import { listView, optional } from '../../../../../../components/list-search.ts'
import { loadOr404 } from '../../../../../../features/products/load.ts'
import { MissingNotice } from '../../../../../../features/products/missing-notice.tsx'
import { PageSkeleton } from '../../../../../../features/products/page-skeleton.tsx'
import {
  productQuery,
  versionListQuery,
} from '../../../../../../features/products/product-queries.ts'
import { ProductPage } from '../../../../../../features/products/product/product-page.tsx'
import { titleIn } from '../../../../../../features/products/translations.ts'

const columns = ['state', 'locales', 'size', 'enabledAt', 'updatedAt', 'action'] as const

export const Route = createFileRoute('/_app/dashboard/cedar/mobile/$productId/')({
  // The loader brings the client of the API, which the sign-in page must not pay for.
  codeSplitGroupings: [['loader', 'component', 'pendingComponent', 'notFoundComponent']],
  validateSearch: (search: Record<string, unknown>) => {
    const { cursor, hide } = listView(search, { sorts: [], columns })
    return optional({ cursor, hide })
  },
  loaderDeps: ({ search: { cursor } }) => ({ cursor }),
  loader: async ({ context: { queryClient }, params: { productId }, deps: { cursor } }) => {
    const product = await loadOr404([productId], () => {
      void queryClient.prefetchQuery(versionListQuery(productId, cursor))
      return queryClient.ensureQueryData({ ...productQuery(productId), revalidateIfStale: true })
    })
    return { title: titleIn(product.translations, currentLocale()).title }
  },
  pendingComponent: () => <PageSkeleton />,
  notFoundComponent: MissingNotice,
  component: AppPage,
})

function AppPage() {
  const { productId } = Route.useParams()
  const view = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <ProductPage
      key={productId}
      productId={productId}
      view={view}
      onView={(change) =>
        void navigate({ search: (current) => ({ ...current, ...change }) as typeof current })
      }
    />
  )
}
