import type { Device } from '@grove/contract/maple/fleet/device'
import { Trans, useLingui } from '@lingui/react/macro'
import { Check, Hourglass } from 'lucide-react'
import { isWaiting, useAccept } from './use-accept.ts'
import styles from './waiting.module.css'

/** Why a device may not connect yet, and how to admit it. */
export function WaitingNotice({ device }: { device: Device }) {
  const { t } = useLingui()
  const { isBusy, accept } = useAccept()
  if (!isWaiting(device)) return null
  return (
    <section className={styles.notice} aria-label={t`Acceptance`}>
      <div>
        <Hourglass size={16} aria-hidden />
        <p>
          <strong>
            <Trans>This device is waiting to be accepted.</Trans>
          </strong>
        </p>
        <p>
          {device.state === 'pending' ? (
            <Trans>It was registered and has not been accepted yet.</Trans>
          ) : (
            <Trans>
              It came with a claim code or a certificate that lets devices in only after a person
              has accepted them, or somebody put it on hold.
            </Trans>
          )}{' '}
          <Trans>Until then nothing that it sends is stored, and it gets no commands.</Trans>
        </p>
      </div>
      <button
        type="button"
        className="button primary"
        aria-disabled={isBusy}
        onClick={() => void accept(device)}
      >
        <Check size={16} aria-hidden />
        <Trans>Accept</Trans>
      </button>
    </section>
  )
}
