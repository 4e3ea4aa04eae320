import { createFileRoute } from '@tanstack/react-router'
import { ActivityTab } from '../../../../../../../features/cedar/parts/activity/activity-tab.tsx'
import { loadProduct, tabNames } from '../../../../../../../features/cedar/parts/product-tab.ts'
import { productTabs } from '../../../../../../../features/cedar/product/product-tabs.tsx'
import { Pending } from '../../../../../../../ui/page/pending.tsx'

export const Route = createFileRoute('/_app/dashboard/cedar/mobile/$productId/_tabs/activity')({
  loader: async ({ params: { productId } }) =>
    tabNames(await loadProduct(productId), productTabs.activity.label),
  pendingComponent: Pending,
  component: () => <ActivityTab subject={Route.useParams()} />,
})
