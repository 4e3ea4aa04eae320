import { createFileRoute, notFound } from '@tanstack/react-router'
import { currentLocale } from '../../../../../../../ui/i18n/locale.ts'
import { loadOr404 } from '../../../../../../../features/cedar/parts/load.ts'
import { MissingNotice } from '../../../../../../../features/cedar/parts/missing-notice.tsx'
import { PageSkeleton } from '../../../../../../../features/cedar/parts/page-skeleton.tsx'
import { productQuery } from '../../../../../../../features/cedar/parts/product.api.ts'
import { versionQuery } from '../../../../../../../features/cedar/product-version/product-version.api.ts'
import { titleIn } from '../../../../../../../features/cedar/parts/titles.ts'
import { VersionPage } from '../../../../../../../features/cedar/product-version/product-version.page.tsx'

export const Route = createFileRoute('/_app/dashboard/cedar/mobile/$productId/$versionId/')({
  loader: async ({ context: { queryClient }, params: { productId, versionId } }) => {
    const [product, version] = await loadOr404(() =>
      Promise.all([
        queryClient.ensureQueryData({ ...productQuery(productId), revalidateIfStale: true }),
        queryClient.ensureQueryData({ ...versionQuery(versionId), revalidateIfStale: true }),
      ]),
    )
    if (version.productId !== productId) throw notFound()
    const { title } = titleIn(product.translations, currentLocale())
    return {
      title: `${title} ${version.version}`,
      crumb: version.version,
      parents: [{ title, href: `/dashboard/cedar/mobile/${productId}` }],
    }
  },
  pendingComponent: () => <PageSkeleton hasAside />,
  notFoundComponent: MissingNotice,
  component: VersionEditorPage,
})

function VersionEditorPage() {
  const { productId, versionId } = Route.useParams()
  return <VersionPage key={versionId} productId={productId} versionId={versionId} />
}
