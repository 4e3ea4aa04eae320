import type { ReactNode } from 'react'
import { checkFields, Fields, type FormFields } from '../form/fields.tsx'
import { useForm, type Form, type FormOptions } from '../form/use-form.ts'
import { notify } from '../toast/notify.ts'
import { FormDialog } from './form-dialog.tsx'

interface ChangeDialogProps<V extends object, Answer> {
  title: string
  submitLabel: string | ((values: V) => string)
  fields?: FormFields<V>
  form: Omit<FormOptions<V, Answer>, 'onSaved' | 'savedValues' | 'isOnce'>
  /** Shown after a success. */
  done: (answer: Answer) => string
  refresh: (answer: Answer) => unknown
  onClose: () => void
  /** Content other than text fields. */
  children?: (form: Form<V>) => ReactNode
}

/** A modal form that makes one change, says so and closes. */
export function ChangeDialog<V extends object, Answer>({
  title,
  submitLabel,
  fields = {},
  done,
  refresh,
  onClose,
  children,
  ...props
}: ChangeDialogProps<V, Answer>) {
  const form = useForm<V, Answer>({
    ...props.form,
    check: (values) => ({ ...checkFields(fields, values), ...props.form.check?.(values) }),
    onSaved: (answer) => {
      void refresh(answer)
      notify({ text: done(answer) })
      onClose()
    },
    isOnce: true,
  })
  return (
    <FormDialog
      title={title}
      form={form}
      submitLabel={typeof submitLabel === 'string' ? submitLabel : submitLabel(form.values)}
      onClose={onClose}
    >
      <Fields form={form} fields={fields} />
      {children?.(form)}
    </FormDialog>
  )
}
