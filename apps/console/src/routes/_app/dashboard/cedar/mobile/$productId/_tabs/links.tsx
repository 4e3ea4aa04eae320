import { createFileRoute } from '@tanstack/react-router'
import { LinksTab } from '../../../../../../../features/cedar/link/links-tab.tsx'
import { loadProduct, tabNames } from '../../../../../../../features/cedar/parts/product-tab.ts'
import { productTabs } from '../../../../../../../features/cedar/product/product-tabs.tsx'
import { Pending } from '../../../../../../../ui/page/pending.tsx'

export const Route = createFileRoute('/_app/dashboard/cedar/mobile/$productId/_tabs/links')({
  loader: async ({ params: { productId } }) =>
    tabNames(await loadProduct(productId), productTabs.links.label),
  pendingComponent: Pending,
  component: () => <LinksTab productId={Route.useParams().productId} />,
})
