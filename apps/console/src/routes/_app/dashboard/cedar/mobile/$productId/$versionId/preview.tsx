import { useSuspenseQuery } from '@tanstack/react-query'
import { createFileRoute, notFound } from '@tanstack/react-router'
import { loadOr404 } from '../../../../../../../features/cedar/parts/load.ts'
import { MissingNotice } from '../../../../../../../features/cedar/parts/missing-notice.tsx'
import { PageSkeleton } from '../../../../../../../features/cedar/parts/page-skeleton.tsx'
import { productQuery } from '../../../../../../../features/cedar/parts/product.api.ts'
import { titleIn } from '../../../../../../../features/cedar/parts/titles.ts'
import { PreviewPage } from '../../../../../../../features/cedar/preview/preview.page.tsx'
import { versionQuery } from '../../../../../../../features/cedar/product-version/product-version.api.ts'
import { currentLocale } from '../../../../../../../ui/i18n/locale.ts'
import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'

export const Route = createFileRoute('/_app/dashboard/cedar/mobile/$productId/$versionId/preview')({
  loader: async ({ context: { queryClient }, params: { productId, versionId } }) => {
    const [product, version] = await loadOr404(() =>
      Promise.all([
        queryClient.ensureQueryData({ ...productQuery(productId), revalidateIfStale: true }),
        queryClient.ensureQueryData({ ...versionQuery(versionId), revalidateIfStale: true }),
      ]),
    )
    if (version.productId !== productId) throw notFound()
    const { title } = titleIn(product.translations, currentLocale())
    const href = `/dashboard/cedar/mobile/${productId}`
    const crumb = i18n._(msg`Preview`)
    return {
      title: `${crumb} · ${title} ${version.version}`,
      crumb,
      parents: [
        { title, href },
        { title: version.version, href: `${href}/${versionId}` },
      ],
    }
  },
  pendingComponent: () => <PageSkeleton hasAside />,
  notFoundComponent: MissingNotice,
  component: VersionPreview,
})

function VersionPreview() {
  const { productId, versionId } = Route.useParams()
  const { data: product } = useSuspenseQuery(productQuery(productId))
  const { data: version } = useSuspenseQuery(versionQuery(versionId))
  // A new package means a new preview.
  const key = `${versionId} ${version.package?.sha256}`
  return <PreviewPage key={key} product={product} version={version} />
}
