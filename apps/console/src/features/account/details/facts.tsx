import type { ReactNode } from 'react'
import styles from './facts.module.css'

export const Facts = ({ children }: { children: ReactNode }) => (
  <dl className={styles.facts}>{children}</dl>
)

interface FactProps {
  label: string
  /** The field's name in the API. */
  field?: string
  children: ReactNode
}

export const Fact = ({ label, field, children }: FactProps) => (
  <div className={styles.fact}>
    <dt>
      {label}
      {field && <code className="muted">{field}</code>}
    </dt>
    <dd>{children}</dd>
  </div>
)
