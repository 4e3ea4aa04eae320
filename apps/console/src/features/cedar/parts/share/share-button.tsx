import { useLingui } from '@lingui/react/macro'
import { QrCode } from 'lucide-react'
import { useState } from 'react'
import { onDemand, usePrefetch } from '../../../../ui/kit/on-demand.tsx'

export const ShareDialog = onDemand(() =>
  import('./share-dialog.tsx').then((module) => module.ShareDialog),
)

/** Shows where people find a live app. */
export function ShareButton({ productId }: { productId: string }) {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  usePrefetch(ShareDialog)
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        <QrCode size={16} aria-hidden />
        {t`Share…`}
      </button>
      {isOpen && (
        <ShareDialog
          productId={productId}
          title={t`Share this app`}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
