import { useLingui } from '@lingui/react/macro'
import styles from '../rows.module.css'

/** Placeholders for two sessions. */
export function SessionRowsSkeleton() {
  const { t } = useLingui()
  return (
    <output className={styles.rows} aria-label={t`Loading`}>
      {['this', 'other'].map((key) => (
        <div key={key} className={styles.row}>
          <div className={`skeleton ${styles.skeletonIcon}`} />
          <div className={styles.skeletonText}>
            <div className="skeleton" />
            <div className="skeleton" />
          </div>
        </div>
      ))}
    </output>
  )
}
