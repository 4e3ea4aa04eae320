import { createFileRoute } from '@tanstack/react-router'
import { loadProduct, tabNames } from '../../../../../../../features/cedar/parts/product-tab.ts'
import { ListingTab } from '../../../../../../../features/cedar/product/listing-tab.tsx'
import { productTabs } from '../../../../../../../features/cedar/product/product-tabs.tsx'
import { Pending } from '../../../../../../../ui/page/pending.tsx'

export const Route = createFileRoute('/_app/dashboard/cedar/mobile/$productId/_tabs/listing')({
  loader: async ({ params: { productId } }) =>
    tabNames(await loadProduct(productId), productTabs.listing.label),
  pendingComponent: Pending,
  component: () => <ListingTab productId={Route.useParams().productId} />,
})
