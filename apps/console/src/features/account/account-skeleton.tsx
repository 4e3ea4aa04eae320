import { useLingui } from '@lingui/react/macro'
import styles from './account-skeleton.module.css'

/** Placeholders for the sections while the account is loading. */
export function AccountSkeleton() {
  const { t } = useLingui()
  return (
    <output className={styles.sections} aria-label={t`Loading`}>
      {['profile', 'appearance', 'password'].map((part) => (
        <div key={part} className={styles.section} data-part={part}>
          <div className="skeleton" />
          <div className="skeleton" />
        </div>
      ))}
    </output>
  )
}
