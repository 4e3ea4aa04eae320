import type { ClaimCode } from '@grove/contract/maple/connect/device-connection'
import { Trans, useLingui } from '@lingui/react/macro'
import { lazy, Suspense } from 'react'
import { CopyButton } from '../../../../ui/text/copy-button.tsx'
import { commandFor } from './product.api.ts'
import styles from './product.page.module.css'

const QrCode = lazy(() => import('../../../../ui/qr/qr-code.tsx'))

/** A new code, shown only once: to copy, to scan, and in the command that starts its devices. */
export function ShownCode({ code: made }: { code: ClaimCode & { code: string } }) {
  const { t } = useLingui()
  const { code, name, mostUses } = made
  const command = commandFor(made)
  return (
    <section className={styles.made} aria-label={t`Claim code “${name}”`}>
      <Suspense fallback={<span className={styles.qr} />}>
        <QrCode text={code} label={t`QR code of the claim code`} className={styles.qr} />
      </Suspense>
      <div>
        <p>
          <Trans>Copy the code now. It is not shown again.</Trans>
        </p>
        <div className={styles.copied}>
          <code className={styles.code}>{code}</code>
          <CopyButton value={code} label={t`Copy the code`} />
        </div>
        <p>
          {mostUses === 1 ? (
            <Trans>To try it, start a device on any machine with Node:</Trans>
          ) : (
            <Trans>To try it, start a fleet of devices on any machine with Node:</Trans>
          )}
        </p>
        <div className={styles.copied}>
          <code>{command}</code>
          <CopyButton value={command} label={t`Copy the command`} />
        </div>
      </div>
    </section>
  )
}
