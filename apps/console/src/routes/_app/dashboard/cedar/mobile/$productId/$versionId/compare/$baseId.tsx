import { createFileRoute, notFound } from '@tanstack/react-router'
import { loadOr404 } from '../../../../../../../../features/cedar/parts/load.ts'
import { MissingNotice } from '../../../../../../../../features/cedar/parts/missing-notice.tsx'
import { PageSkeleton } from '../../../../../../../../features/cedar/parts/page-skeleton.tsx'
import { loadProduct } from '../../../../../../../../features/cedar/parts/product-tab.ts'
import { titleIn } from '../../../../../../../../features/cedar/parts/titles.ts'
import { differenceQuery } from '../../../../../../../../features/cedar/product-version/compare/compare.api.ts'
import { ComparePage } from '../../../../../../../../features/cedar/product-version/compare/compare.page.tsx'
import { versionQuery } from '../../../../../../../../features/cedar/product-version/product-version.api.ts'
import { currentLocale } from '../../../../../../../../ui/i18n/locale.ts'

export const Route = createFileRoute(
  '/_app/dashboard/cedar/mobile/$productId/$versionId/compare/$baseId',
)({
  loader: async ({ context: { queryClient }, params: { productId, versionId, baseId } }) => {
    const product = await loadProduct(productId)
    const fresh = { revalidateIfStale: true }
    const [version, base] = await loadOr404(() =>
      Promise.all([
        queryClient.ensureQueryData({ ...versionQuery(versionId), ...fresh }),
        queryClient.ensureQueryData({ ...versionQuery(baseId), ...fresh }),
        queryClient.ensureQueryData({ ...differenceQuery(versionId, baseId), ...fresh }),
      ]),
    )
    if (version.productId !== productId) throw notFound()
    const { title } = titleIn(product.translations, currentLocale())
    const home = `/dashboard/cedar/mobile/${productId}`
    return {
      title: `${title} ${base.version} → ${version.version}`,
      crumb: `${base.version} → ${version.version}`,
      parents: [
        { title, href: home },
        { title: version.version, href: `${home}/${versionId}` },
      ],
    }
  },
  pendingComponent: () => <PageSkeleton />,
  notFoundComponent: MissingNotice,
  component: () => <ComparePage {...Route.useParams()} />,
})
