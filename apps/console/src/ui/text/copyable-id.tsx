import { CopyButton } from './copy-button.tsx'
import styles from './copyable-id.module.css'

interface CopyableIdProps {
  value: string
  /** Characters kept at the end of a value that is cut. */
  tail?: number
}

/** An id, CPLC or hash: its beginning and end in monospace, the whole of it on copy and in the tooltip. */
export const CopyableId = ({ value, tail = 4 }: CopyableIdProps) => (
  <span className={styles.id} title={value}>
    <code className={styles.start}>{value.slice(0, -tail)}</code>
    <code>{value.slice(-tail)}</code>
    <CopyButton value={value} />
  </span>
)
