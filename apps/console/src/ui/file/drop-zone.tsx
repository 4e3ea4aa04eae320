import { Upload } from 'lucide-react'
import type { HTMLAttributes } from 'react'
import styles from './drop-zone.module.css'

interface DropZoneProps extends HTMLAttributes<HTMLDivElement> {
  /** Files are held over it. */
  isOver: boolean
}

/** A dashed box that says which file to drop or choose. */
export const DropZone = ({ isOver, children, ...props }: DropZoneProps) => (
  <div className={styles.zone} data-over={isOver || undefined} {...props}>
    <Upload size={20} aria-hidden />
    {children}
  </div>
)
