import type { Preview } from '@grove/contract/cedar/preview'
import { Trans, useLingui } from '@lingui/react/macro'
import { ExternalLink } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import styles from './on-phone.module.css'
import { addressOf } from './use-preview.ts'

const QrCode = lazy(() => import('../../../ui/qr/qr-code.tsx'))

/** How to open the preview on a phone, if a phone can reach it. */
export function OnPhone({ preview }: { preview: Preview }) {
  const { t } = useLingui()
  const address = addressOf(preview, 'auto')
  return (
    <div className={styles.phone}>
      {preview.isLoopback ? (
        <p>
          <Trans>
            This URL works on this machine only. To reach previews from a phone, set{' '}
            <code>GROVE_PREVIEW_URL</code>.
          </Trans>
        </p>
      ) : (
        <>
          <p>
            <Trans>Point the camera of a phone at the code. No sign-in is needed.</Trans>
          </p>
          <Suspense fallback={<div className={`skeleton ${styles.code}`} />}>
            <QrCode text={address} label={t`QR code of the preview`} className={styles.code} />
          </Suspense>
        </>
      )}
      <p className="muted">
        <Trans>
          The URL works for ten minutes. Anyone who has it can open the preview until then.
        </Trans>
      </p>
      <div className={styles.actions}>
        <a className="button" href={address} target="_blank" rel="noopener noreferrer">
          <ExternalLink size={16} aria-hidden />
          {t`Open in a tab`}
        </a>
        <CopyButton value={address} label={t`Copy the URL`} />
      </div>
    </div>
  )
}
