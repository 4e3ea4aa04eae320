import { createFileRoute } from '@tanstack/react-router'
import { loadProduct, tabNames } from '../../../../../../../features/cedar/parts/product-tab.ts'
import { productTabs } from '../../../../../../../features/cedar/product/product-tabs.tsx'
import { DevicesTab } from '../../../../../../../features/cedar/push-device/devices-tab.tsx'
import { Pending } from '../../../../../../../ui/page/pending.tsx'

export const Route = createFileRoute('/_app/dashboard/cedar/mobile/$productId/_tabs/devices')({
  loader: async ({ params: { productId } }) =>
    tabNames(await loadProduct(productId), productTabs.devices.label),
  pendingComponent: Pending,
  component: () => <DevicesTab productId={Route.useParams().productId} />,
})
