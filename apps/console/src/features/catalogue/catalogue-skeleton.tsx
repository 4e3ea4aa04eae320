import frame from './catalogue-frame.module.css'
import styles from './catalogue-skeleton.module.css'

/** Cards without content, and without words: it shows before the texts have loaded. */
export const CatalogueSkeleton = ({ label }: { label: string }) => (
  <output className={frame.grid} aria-label={label}>
    {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
      <span key={key} className={`${frame.card} ${styles.card}`}>
        <span className="skeleton" />
        <span className="skeleton" />
        <span className="skeleton" />
        <span className="skeleton" />
      </span>
    ))}
  </output>
)
