import type { Product } from '@grove/contract/cedar/product'
import { useLingui } from '@lingui/react/macro'
import { Unlink } from 'lucide-react'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { DangerAction } from '../parts/danger-zone.tsx'
import { useLink } from '../parts/share/use-link.ts'

export function RemoveLink({ product }: { product: Product }) {
  const { t } = useLingui()
  const { mutate, isPending } = useLink(product)
  const ask = async () => {
    const agreed = await confirm({
      title: t`Remove the link?`,
      text: t`Existing codes and URLs stop working immediately. A new link has another URL.`,
      action: t`Remove`,
      isDanger: true,
    })
    if (agreed) mutate(false)
  }
  return (
    <DangerAction
      icon={Unlink}
      text={t`Without its link, the app cannot be opened through existing URLs or QR codes.`}
      label={t`Remove the link`}
      reason={
        product.linkId === null ? t`The app has no link.` : isPending ? t`Removing…` : undefined
      }
      onAct={() => void ask()}
    />
  )
}
