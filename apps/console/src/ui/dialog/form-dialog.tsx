import { useEffect, useId, useRef, type ReactNode } from 'react'
import styles from './form-dialog.module.css'
import { confirmLoss } from '../form/unsaved-changes.ts'

interface FormDialogProps {
  title: string
  /** Whether closing would lose something: then it asks first. */
  isDirty: boolean
  onClose: () => void
  /** A form, and the way to close it for its Cancel button. */
  children: (close: () => void) => ReactNode
}

/** A short form over the page: Escape and Cancel close it. */
export function FormDialog({ title, isDirty, onClose, children }: FormDialogProps) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)

  useEffect(() => dialog.current?.showModal(), [])

  const close = async () => {
    if (!isDirty || (await confirmLoss())) onClose()
  }

  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        void close()
      }}
      // A browser may close it on a second Escape whatever was asked.
      onClose={onClose}
    >
      <h2 id={id} className={styles.title}>
        {title}
      </h2>
      {children(() => void close())}
    </dialog>
  )
}
