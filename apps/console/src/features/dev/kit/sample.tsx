import { useId, type ReactNode } from 'react'
import styles from './kit-page.module.css'

interface PieceProps {
  /** The component's name in the code, or a few words. */
  name: string
  children: ReactNode
}

/** One component, or one state of it, under its name. */
export const Piece = ({ name, children }: PieceProps) => (
  <div className={styles.piece}>
    <h3 className={styles.name}>{name}</h3>
    <div className={styles.stage}>{children}</div>
  </div>
)

interface KitSectionProps {
  title: string
  children: ReactNode
}

export function KitSection({ title, children }: KitSectionProps) {
  const id = useId()
  return (
    <section className={styles.section} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}
