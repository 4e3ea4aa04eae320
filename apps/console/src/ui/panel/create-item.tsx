import type { ReactNode } from 'react'
import { checkFields, Fields, type FormFields } from '../form/fields.tsx'
import { FormShell } from '../form/form-shell.tsx'
import { useForm, type Form, type FormOptions } from '../form/use-form.ts'
import { notify } from '../toast/notify.ts'
import { SidePanel } from './side-panel.tsx'

/** What `ResourceList` passes to the form for a new item. */
export interface NewItem {
  onCreated: (id: string) => void
  onClose: () => void
}

interface Items<Item> {
  list: { name: string }
  refresh: (saved?: Item) => unknown
}

interface CreateItemProps<V extends object, Item> extends NewItem {
  items: Items<Item>
  title: string
  submitLabel: string
  savedText: (item: Item) => string
  form: Omit<FormOptions<V, Item>, 'onSaved' | 'savedValues' | 'needsChange' | 'isOnce'>
  fields?: FormFields<V>
  /** Fields other than text fields. */
  children?: (form: Form<V>) => ReactNode
}

/** The form for a new item, in the panel beside its list. */
export function CreateItem<V extends object, Item extends { id: string }>({
  items,
  title,
  submitLabel,
  savedText,
  fields = {},
  children,
  onCreated,
  onClose,
  ...props
}: CreateItemProps<V, Item>) {
  const form = useForm<V, Item>({
    ...props.form,
    check: (values) => ({ ...checkFields(fields, values), ...props.form.check?.(values) }),
    onSaved: (item) => {
      void items.refresh(item)
      notify({ text: savedText(item) })
      onCreated(item.id)
    },
    isOnce: true,
  })
  return (
    <SidePanel title={title} mode="form" onClose={onClose}>
      <FormShell
        form={form}
        place="panel"
        submitLabel={submitLabel}
        draft={`new ${items.list.name}`}
        isKeptBy={(search) => search['create'] === true}
        onCancel={onClose}
      >
        <Fields form={form} fields={fields} />
        {children?.(form)}
      </FormShell>
    </SidePanel>
  )
}
