import type { Product } from '@grove/contract/cedar/product'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { ExternalLink, Link2 } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { Dialog } from '../../../../ui/dialog/dialog.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { CopyButton } from '../../../../ui/text/copy-button.tsx'
import { linkAddress } from '../link-address.ts'
import { productQuery } from '../product.api.ts'
import { CreateLink } from './create-link.tsx'
import { LoopbackNotice } from './loopback-notice.tsx'
import styles from './share-dialog.module.css'

const QrCode = lazy(() => import('../../../../ui/qr/qr-code.tsx'))

interface ShareDialogProps {
  productId: string
  title: string
  onClose: () => void
}

/** Where people find a live app: its page, as a URL and as a QR code. */
export function ShareDialog({ productId, title, onClose }: ShareDialogProps) {
  const { t } = useLingui()
  const { data: product } = useQuery(productQuery(productId))
  return (
    <Dialog title={title} closeLabel={t`Close`} onClose={onClose}>
      {product ? (
        <SharedPage product={product} onClose={onClose} />
      ) : (
        <div className={`skeleton ${styles.code}`} />
      )}
    </Dialog>
  )
}

interface SharedPageProps {
  product: Product
  onClose: () => void
}

function SharedPage({ product, onClose }: SharedPageProps) {
  const { t } = useLingui()
  const { productId, linkId } = product
  const url = usePage(product)
  return (
    <div className={styles.share}>
      <p>
        {linkId === null
          ? t`The catalogue shows the app. A link gives it a short URL that also opens in a host app.`
          : t`Anyone with a link sees the app’s public page; a host app opens the app.`}
      </p>
      <p className={styles.url}>
        <code>{url}</code>
        <CopyButton value={url} label={t`Copy the URL`} />
      </p>
      <Suspense fallback={<div className={`skeleton ${styles.code}`} />}>
        <QrCode text={url} label={t`QR code of ${url}`} className={styles.code} />
      </Suspense>
      <LoopbackNotice url={url} />
      <div className="actions">
        <a className="button primary" href={url} target="_blank" rel="noopener noreferrer">
          <ExternalLink size={16} aria-hidden />
          {t`Open the page`}
        </a>
        {linkId === null ? (
          <CreateLink product={product} />
        ) : (
          <Link
            to="/dashboard/cedar/mobile/$productId/links"
            params={{ productId }}
            className="button"
            onClick={onClose}
          >
            <Link2 size={16} aria-hidden />
            {t`All links of the app`}
          </Link>
        )}
      </div>
    </div>
  )
}

/** The page of the app's link, or the app in the catalogue while it has none. */
function usePage({ productId, linkId }: Product): string {
  const router = useRouter()
  if (linkId !== null) return linkAddress(linkId)
  const { href } = router.buildLocation({ to: '/', search: { app: productId } })
  return new URL(href, location.origin).href
}
