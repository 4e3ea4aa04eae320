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
  /** For a dialog opened by the URL: the navigation that closes it asks (`FormShell`). */
  isKeptBy?: (search: Record<string, unknown>) => boolean
  onClose: () => void
  children: ReactNode
}

/** A short modal form. Closing it asks if that would lose something. */
export function FormDialog<V extends object>(props: FormDialogProps<V>) {
  const { title, form, submitLabel, draft, isKeptBy, onClose, children } = props
  const close = async () => {
    // A request that is being sent can no longer be cancelled.
    if (form.status === 'saving') return
    if (isKeptBy) return onClose()
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
        {...(isKeptBy && { isKeptBy })}
        onCancel={() => void close()}
      >
        {children}
      </FormShell>
    </Dialog>
  )
}
