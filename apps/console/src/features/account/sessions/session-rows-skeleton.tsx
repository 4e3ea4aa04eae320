import { useLingui } from '@lingui/react/macro'
import styles from '../rows.module.css'

/** Holds the place of two sessions. */
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
