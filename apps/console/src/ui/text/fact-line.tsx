import type { ReactNode } from 'react'
import styles from './fact-line.module.css'

/** The facts of an item that help to read what is below: names and values side by side. */
export const FactLine = ({ children }: { children: ReactNode }) => (
  <dl className={styles.line}>{children}</dl>
)

export const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
