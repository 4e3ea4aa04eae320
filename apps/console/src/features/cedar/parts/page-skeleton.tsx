import { useLingui } from '@lingui/react/macro'
import styles from './page-skeleton.module.css'

/** Placeholders for a page's header and sections while they load. */
export function PageSkeleton({ hasAside = false }: { hasAside?: boolean }) {
  const { t } = useLingui()
  return (
    <output className={styles.page} aria-label={t`Loading`}>
      <div className={styles.header}>
        <div className={`skeleton ${styles.icon}`} />
        <div className={`skeleton ${styles.title}`} />
      </div>
      <div className={styles.body} data-aside={hasAside || undefined}>
        <div className={styles.sections}>
          <div className={`skeleton ${styles.section}`} />
          <div className={`skeleton ${styles.section}`} />
        </div>
        {hasAside && <div className={`skeleton ${styles.section}`} />}
      </div>
    </output>
  )
}
