import { createFileRoute } from '@tanstack/react-router'
import { currentLocale } from '../../../../../../ui/i18n/locale.ts'
import { listView, optional } from '../../../../../../ui/table/list-search.ts'
import { loadOr404 } from '../../../../../../features/cedar/parts/load.ts'
import { MissingNotice } from '../../../../../../features/cedar/parts/missing-notice.tsx'
import { PageSkeleton } from '../../../../../../features/cedar/parts/page-skeleton.tsx'
import {
  productQuery,
  versionListQuery,
} from '../../../../../../features/cedar/parts/product.api.ts'
import { ProductPage } from '../../../../../../features/cedar/product/product.page.tsx'
import { titleIn } from '../../../../../../features/cedar/parts/translations.ts'

const columns = ['state', 'locales', 'size', 'enabledAt', 'updatedAt', 'action'] as const

export const Route = createFileRoute('/_app/dashboard/cedar/mobile/$productId/')({
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
