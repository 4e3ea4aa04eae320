import frame from './catalogue-frame.module.css'
import styles from './catalogue-skeleton.module.css'

/** Cards without content. It holds no words of its own: it shows before they have come. */
export const CatalogueSkeleton = ({ label }: { label: string }) => (
  <output className={frame.grid} aria-label={label}>
    {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
      <span key={key} className={frame.card}>
        <span className={`skeleton ${styles.icon}`} />
        <span className={`skeleton ${styles.line}`} />
        <span className={`skeleton ${styles.line}`} />
        <span className="skeleton" />
      </span>
    ))}
  </output>
)

/** What stands for the whole catalogue while its code is on its way. */
export const CataloguePlaceholder = ({ label }: { label: string }) => (
  <>
    <span className={`skeleton ${frame.searchPlaceholder}`} />
    <CatalogueSkeleton label={label} />
  </>
)
