import { Trans, useLingui } from '@lingui/react/macro'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import styles from './key.module.css'

/** Whether the HSM that holds an element's keys responds, and the consequences if it does not. */
export function HsmNotice({ code }: { code: string | null }) {
  const { t } = useLingui()
  if (code === null)
    return (
      <p className={styles.reachable}>
        <CircleCheck size={16} aria-hidden />
        <Trans>The HSM is responding.</Trans>
      </p>
    )
  const text =
    code === 'hsm_pin_refused'
      ? t`The HSM rejects the PIN.`
      : code === 'hsm_pin_locked'
        ? t`The PIN of the HSM is locked.`
        : t`The HSM is not responding.`
  return (
    <div className={styles.notice} data-kind="bad" aria-live="polite">
      <TriangleAlert size={16} aria-hidden />
      <div>
        <p>
          <strong>{text}</strong>
        </p>
        <p>
          <Trans>
            Until it responds again, no secure channel can be opened and the keys cannot be rotated.
            The keys are still in it, and the element is not blocked. Contact an administrator of
            the platform.
          </Trans>
        </p>
      </div>
    </div>
  )
}
