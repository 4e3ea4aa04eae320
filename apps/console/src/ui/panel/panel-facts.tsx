import type { ReactNode } from 'react'
import styles from './panel-facts.module.css'

/** Names and values, in two columns. */
export const PanelFacts = ({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) => (
  <dl className={styles.facts}>
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
