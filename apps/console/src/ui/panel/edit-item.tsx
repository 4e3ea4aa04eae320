import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { ConflictNotice } from '../form/conflict-notice.tsx'
import { checkFields, Fields, labelOfField, type FormFields } from '../form/fields.tsx'
import { FormShell } from '../form/form-shell.tsx'
import { useEditForm, type EditOptions, type Saved } from '../form/use-edit-form.ts'
import type { Form } from '../form/use-form.ts'
import { notify } from '../toast/notify.ts'

interface Revised {
  id: string
  revision: number
}

interface Items<Item> {
  list: { name: string; item?: string }
  read: (id: string) => Promise<Item>
  refresh: (saved?: Item) => unknown
}

interface EditItemProps<V extends object, Item extends Revised> {
  items: Items<Item>
  item: Item
  valuesOf: (item: Item) => V
  form: Omit<EditOptions<V>, 'saved' | 'submit' | 'load' | 'onSaved'> & {
    /** Saves over what the changes started from; spread `ifMatch` into the request. */
    submit: (values: V, from: V, ifMatch: { ifMatch?: number }) => Promise<Item>
  }
  fields?: FormFields<V>
  /** Fields other than text fields. */
  children?: (form: Form<V>) => ReactNode
  /** The conflict notice's labels for fields that are not among `fields`. */
  labels?: Record<string, string>
  /** How the conflict notice shows a value that is not text. */
  show?: (value: unknown, path: string) => ReactNode
  onEnd: () => void
}

/** The form for an item, in its panel. Concurrent changes of others are merged into it. */
export function EditItem<V extends object, Item extends Revised>({
  items,
  item,
  valuesOf,
  fields = {},
  children,
  labels = {},
  show,
  onEnd,
  ...props
}: EditItemProps<V, Item>) {
  const { t } = useLingui()
  const { list, read, refresh } = items
  const savedOf = (saved: Item): Saved<V> => ({
    values: valuesOf(saved),
    revision: saved.revision,
  })
  const form = useEditForm<V>({
    ...props.form,
    saved: savedOf(item),
    check: (values) => ({ ...checkFields(fields, values), ...props.form.check?.(values) }),
    submit: async (values, { values: from, revision }) => {
      const ifMatch = revision === undefined ? {} : { ifMatch: revision }
      const saved = await props.form.submit(values, from, ifMatch)
      void refresh(saved)
      return savedOf(saved)
    },
    load: async () => savedOf(await read(item.id)),
    onSaved: () => {
      notify({ text: t`Saved.` })
      onEnd()
    },
  })
  return (
    <FormShell
      form={form}
      place="panel"
      submitLabel={t`Save`}
      draft={`${list.name} ${item.id}`}
      isKeptBy={(search) => search[list.item ?? ''] === item.id && search['edit'] === true}
      onCancel={onEnd}
    >
      <Fields form={form} fields={fields} />
      {children?.(form)}
      <ConflictNotice
        form={form}
        labelOf={(path) => labelOfField(fields, path) ?? labels[path] ?? path}
        {...(show && { show })}
      />
    </FormShell>
  )
}
