import { useLingui } from '@lingui/react/macro'
import styles from './load-failure.module.css'

/** Replaces a part of the page whose code failed to load. */
export function LoadFailure({ onRetry }: { onRetry: () => void }) {
  const { t } = useLingui()
  return (
    <div className={styles.failure} role="alert">
      <p>{t`This part of the page did not load. Check your connection and try again.`}</p>
      <button type="button" className="button small" data-autofocus onClick={onRetry}>
        {t`Try again`}
      </button>
    </div>
  )
}
