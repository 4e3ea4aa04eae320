import type { ReactNode } from 'react'
import { AreaField } from './area-field.tsx'
import styles from './code-area.module.css'

interface CodeAreaProps {
  name: string
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
  rows?: number
  maxLength: number
  value: string
  onChange: (value: string) => void
}

/** A labelled field for machine-written text, such as a key in PEM. */
export const CodeArea = ({ rows = 6, onChange, ...area }: CodeAreaProps) => (
  <AreaField
    {...area}
    className={styles.area}
    rows={rows}
    autoComplete="off"
    onChange={({ target }) => onChange(target.value)}
  />
)
