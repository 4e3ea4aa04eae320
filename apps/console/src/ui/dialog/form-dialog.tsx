import type { ReactNode } from 'react'
import { FormShell } from '../form/form-shell.tsx'
import { confirmLoss } from '../form/unsaved-changes.ts'
import type { Form } from '../form/use-form.ts'
import { Dialog } from './dialog.tsx'

interface FormDialogProps<V extends object> {
  title: string
  form: Form<V>
  submitLabel: string
  /** The name of the draft (`FormShell`). */
  draft?: string
  onClose: () => void
  children: ReactNode
}

/** A short form over the page. Closing it asks when that would lose something. */
export function FormDialog<V extends object>(props: FormDialogProps<V>) {
  const { title, form, submitLabel, draft, onClose, children } = props
  const close = async () => {
    // What is being sent can no longer be called back.
    if (form.status === 'saving') return
    if (form.isDirty && !(await confirmLoss())) return
    form.reset()
    onClose()
  }
  return (
    <Dialog title={title} onClose={() => void close()}>
      <FormShell
        form={form}
        place="dialog"
        submitLabel={submitLabel}
        {...(draft !== undefined && { draft })}
        onCancel={() => void close()}
      >
        {children}
      </FormShell>
    </Dialog>
  )
}
