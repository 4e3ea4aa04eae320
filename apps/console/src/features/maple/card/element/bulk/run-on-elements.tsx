import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../../../../session/api.ts'
import { FormDialog } from '../../../../../ui/dialog/form-dialog.tsx'
import { SelectField } from '../../../../../ui/field/select-field.tsx'
import { useForm } from '../../../../../ui/form/use-form.ts'
import type { ComboboxOption, OptionSource } from '../../../../../ui/kit/combobox-options.ts'
import { Choice } from '../../../base/choice.tsx'
import '../../element-choice/handed-elements.ts'

interface RunOnElementsProps {
  elements: readonly ComboboxOption[]
  onClose: () => void
}

type Program = 'applet' | 'template' | 'script'

interface Values {
  program: Program
  id: string
}

const pages = {
  applet: '/dashboard/maple/applets/$id',
  template: '/dashboard/maple/templates/$id',
  script: '/dashboard/maple/scripts/$id',
} as const

const found = (q: string) => ({ limit: 20, ...(q && { q }) })

const sources: Record<Program, OptionSource> = {
  applet: async (q, signal) => {
    const { items } = await api.maple.get('/api/maple/applets', { query: found(q), signal })
    return items.map(({ id, name, version, packageAid }) => ({
      id,
      label: `${name} ${version}`,
      note: packageAid,
    }))
  },
  template: async (q, signal) => {
    const query = { ...found(q), state: 'published' } as const
    const { items } = await api.maple.get('/api/maple/templates', { query, signal })
    return items.map(({ id, name }) => ({ id, label: name }))
  },
  script: async (q, signal) => {
    const { items } = await api.maple.get('/api/maple/scripts', { query: found(q), signal })
    return items.map(({ id, name }) => ({ id, label: name }))
  },
}

/** Opens a program's page with these elements chosen: it has the options and the start button. */
export function RunOnElements({ elements, onClose }: RunOnElementsProps) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const count = elements.length
  const words: Record<Program, string> = {
    applet: t`Install, upgrade or uninstall an applet`,
    template: t`Run a template`,
    script: t`Run a script`,
  }
  const labels: Record<Program, string> = {
    applet: t`Applet`,
    template: t`Template`,
    script: t`Script`,
  }
  const form = useForm<Values, Values>({
    values: { program: 'applet', id: '' },
    check: ({ id }) => ({ id: id === '' ? t`Choose one.` : undefined }),
    submit: (values) => Promise.resolve(values),
    onSaved: ({ program, id }) =>
      void navigate({ to: pages[program], params: { id }, state: { elements } }),
    isOnce: true,
  })
  const { program, id } = form.values
  return (
    <FormDialog
      title={t`${plural(count, { one: 'Install or run on # element', other: 'Install or run on # elements' })}`}
      form={form}
      submitLabel={t`Continue`}
      onClose={onClose}
    >
      <SelectField
        label={t`What to do`}
        value={program}
        words={words}
        onChange={(next) => form.set({ program: next, id: '' })}
      />
      <Choice
        // Each kind has its own options.
        key={program}
        label={labels[program]}
        value={id}
        options={sources[program]}
        error={form.errors['id']}
        hint={t`Its page opens with these elements chosen. Nothing starts yet.`}
        onChange={(next) => form.set({ id: next })}
      />
    </FormDialog>
  )
}
