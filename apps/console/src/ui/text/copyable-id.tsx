import { CopyButton } from './copy-button.tsx'
import { tooltip } from '../kit/tooltip.ts'
import styles from './copyable-id.module.css'

/**
 * An ID, CPLC or hash in monospace. It is one piece of text, truncated only by style: find-in-page
 * and a copied selection contain all of it.
 */
export const CopyableId = ({ value }: { value: string }) => (
  <span className={styles.id} {...tooltip(value)}>
    <code>{value}</code>
    <CopyButton value={value} />
  </span>
)
