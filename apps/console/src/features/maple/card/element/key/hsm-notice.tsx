import { Trans, useLingui } from '@lingui/react/macro'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import styles from './key.module.css'

/** Whether the HSM that has the keys of an element answers, and what follows where it does not. */
export function HsmNotice({ code }: { code: string | null }) {
  const { t } = useLingui()
  if (code === null)
    return (
      <p className={styles.reachable}>
        <CircleCheck size={16} aria-hidden />
        <Trans>The HSM answers.</Trans>
      </p>
    )
  const text =
    code === 'hsm_pin_refused'
      ? t`The HSM refuses the PIN.`
      : code === 'hsm_pin_locked'
        ? t`The PIN of the HSM is locked.`
        : t`The HSM does not answer.`
  return (
    <div className={styles.notice} data-kind="bad" aria-live="polite">
      <TriangleAlert size={16} aria-hidden />
      <div>
        <p>
          <strong>{text}</strong>
        </p>
        <p>
          <Trans>
            Until it does its work again, no secure channel can be opened and the keys cannot be
            rotated. The keys are still in it, and the element is not blocked. An administrator of
            the platform can look at the HSM.
          </Trans>
        </p>
      </div>
    </div>
  )
}
