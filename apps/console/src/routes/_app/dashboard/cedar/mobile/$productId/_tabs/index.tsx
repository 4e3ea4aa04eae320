import { createFileRoute } from '@tanstack/react-router'
import { loadProduct } from '../../../../../../../features/cedar/parts/product-tab.ts'
import { titleIn } from '../../../../../../../features/cedar/parts/titles.ts'
import { ProductOverview } from '../../../../../../../features/cedar/product/product-overview.tsx'
import { LiveSwitch } from '../../../../../../../features/cedar/product-version/release/live-switch.tsx'
import { ReleaseChecklist } from '../../../../../../../features/cedar/product-version/release/release-checklist.tsx'
import { currentLocale } from '../../../../../../../ui/i18n/locale.ts'
import { Pending } from '../../../../../../../ui/page/pending.tsx'

export const Route = createFileRoute('/_app/dashboard/cedar/mobile/$productId/_tabs/')({
  loader: async ({ params: { productId } }) => {
    const { translations } = await loadProduct(productId)
    return { title: titleIn(translations, currentLocale()).title }
  },
  pendingComponent: Pending,
  component: OverviewTab,
})

function OverviewTab() {
  const { productId } = Route.useParams()
  return (
    <ProductOverview
      productId={productId}
      checklist={<ReleaseChecklist productId={productId} />}
      liveSwitch={<LiveSwitch productId={productId} />}
    />
  )
}
