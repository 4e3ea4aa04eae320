import { createFileRoute } from '@tanstack/react-router'
import { loadProduct, tabNames } from '../../../../../../../features/cedar/parts/product-tab.ts'
import { productTabs } from '../../../../../../../features/cedar/product/product-tabs.tsx'
import { ReleaseHistory } from '../../../../../../../features/cedar/product/release-history.tsx'
import { versionsOf } from '../../../../../../../features/cedar/product-version/product-version.api.ts'
import { VersionList } from '../../../../../../../features/cedar/product-version/product-version.list.tsx'
import {
  versionList,
  versionSearch,
} from '../../../../../../../features/cedar/product-version/product-version.search.ts'
import { Pending } from '../../../../../../../ui/page/pending.tsx'

export const Route = createFileRoute('/_app/dashboard/cedar/mobile/$productId/_tabs/versions')({
  validateSearch: versionSearch,
  loaderDeps: ({ search }) => ({ page: versionList.page(search) }),
  loader: async ({ context: { queryClient }, params: { productId }, deps: { page } }) => {
    void queryClient.prefetchQuery(versionsOf(productId).query(page))
    return tabNames(await loadProduct(productId), productTabs.versions.label)
  },
  pendingComponent: Pending,
  component: VersionsTab,
})

function VersionsTab() {
  const { productId } = Route.useParams()
  const search = Route.useSearch()
  const navigate = Route.useNavigate()
  const change = (changed: object) =>
    void navigate({
      search: (now) => versionSearch({ ...now, ...changed }),
      resetScroll: false,
    })
  return (
    <>
      <VersionList productId={productId} search={search} onSearch={change} />
      <ReleaseHistory productId={productId} />
    </>
  )
}
