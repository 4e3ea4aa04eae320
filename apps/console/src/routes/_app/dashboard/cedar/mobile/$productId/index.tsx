import { createFileRoute } from '@tanstack/react-router'
import { loadOr404 } from '../../../../../../features/cedar/parts/load.ts'
import { MissingNotice } from '../../../../../../features/cedar/parts/missing-notice.tsx'
import { PageSkeleton } from '../../../../../../features/cedar/parts/page-skeleton.tsx'
import { productQuery } from '../../../../../../features/cedar/parts/product.api.ts'
import { titleIn } from '../../../../../../features/cedar/parts/translations.ts'
import { ProductPage } from '../../../../../../features/cedar/product/product.page.tsx'
import { versionsOf } from '../../../../../../features/cedar/product-version/product-version.api.ts'
import {
  NewVersionButton,
  VersionList,
} from '../../../../../../features/cedar/product-version/product-version.list.tsx'
import {
  versionList,
  versionSearch,
} from '../../../../../../features/cedar/product-version/product-version.search.ts'
import { currentLocale } from '../../../../../../ui/i18n/locale.ts'

export const Route = createFileRoute('/_app/dashboard/cedar/mobile/$productId/')({
  validateSearch: versionSearch,
  loaderDeps: ({ search }) => ({ page: versionList.page(search) }),
  loader: async ({ context: { queryClient }, params: { productId }, deps: { page } }) => {
    const product = await loadOr404([productId], () => {
      void queryClient.prefetchQuery(versionsOf(productId).query(page))
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
  const search = Route.useSearch()
  const navigate = Route.useNavigate()
  const change = (changed: object) =>
    void navigate({
      search: (now) => versionSearch({ ...now, ...changed }),
      resetScroll: false,
    })
  return (
    <ProductPage
      key={productId}
      productId={productId}
      action={
        <NewVersionButton productId={productId} className="button primary" onClick={change} />
      }
      versions={<VersionList productId={productId} search={search} onSearch={change} />}
    />
  )
}
