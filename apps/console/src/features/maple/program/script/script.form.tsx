import type { Script } from '@grove/contract/maple/program/script'
import {
  maxScriptNameLength,
  maxScriptNoteLength,
} from '@grove/contract/maple/program/script.rules'
import { scriptExamples } from '@grove/contract/maple/program/script-examples.rules'
import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../../../session/api.ts'
import { FormDialog } from '../../../../ui/dialog/form-dialog.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import { checkFields, Fields, type FormFields } from '../../../../ui/form/fields.tsx'
import { useNameProblem } from '../../../../ui/form/name-problem.ts'
import { useForm } from '../../../../ui/form/use-form.ts'
import { CreateItem, type NewItem } from '../../../../ui/panel/create-item.tsx'
import { notify } from '../../../../ui/toast/notify.ts'
import { path, refreshScript, scripts } from './script.api.ts'
import { useExampleWords } from './script.labels.tsx'

interface ScriptValues {
  name: string
  note: string
  example: string
}

/** A new script, empty or from an example; its page opens. */
export function CreateScript({ onClose }: NewItem) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const words = useExampleWords()
  const none = { none: t`Start from scratch` }
  return (
    <CreateItem<ScriptValues, Script>
      onClose={onClose}
      onCreated={(id) => void navigate({ to: '/dashboard/maple/scripts/$id', params: { id } })}
      items={{ list: scripts.list, refresh: () => refreshScript() }}
      title={t`Create a script`}
      submitLabel={t`Create`}
      savedText={({ name }) => t`${name} is created.`}
      fields={useScriptFields()}
      form={{
        values: { name: '', note: '', example: 'identify' },
        submit: ({ name, note, example }) => {
          const draft = scriptExamples.find(({ id }) => id === example)?.code ?? ''
          return api.maple.post(path, { body: { name, note, draft } })
        },
      }}
    >
      {(form) => (
        <SelectField
          label={t`Start from`}
          value={form.values.example}
          words={{ ...words, ...none }}
          onChange={(example) => form.set({ example })}
        />
      )}
    </CreateItem>
  )
}

/** The name and the note of a script. */
export function RenameScript({ script, onClose }: { script: Script; onClose: () => void }) {
  const { t } = useLingui()
  const fields = useScriptFields()
  const form = useForm<Pick<ScriptValues, 'name' | 'note'>, Script>({
    values: { name: script.name, note: script.note },
    check: (values) => checkFields(fields, values),
    submit: (body) => api.maple.put(`${path}/{id}`, { params: { id: script.id }, body }),
    onSaved: (saved) => {
      void refreshScript(saved)
      notify({ text: t`Saved.` })
      onClose()
    },
    needsChange: true,
  })
  return (
    <FormDialog title={t`Name and note`} form={form} submitLabel={t`Save`} onClose={onClose}>
      <Fields form={form} fields={fields} />
    </FormDialog>
  )
}

function useScriptFields() {
  const { t } = useLingui()
  const nameProblem = useNameProblem()
  return {
    name: {
      label: t`Name`,
      maxLength: maxScriptNameLength,
      autoComplete: 'off',
      problemOf: (text) => nameProblem(text),
    },
    note: {
      label: t`Note (optional)`,
      hint: t`What it does, for the people who run it.`,
      maxLength: maxScriptNoteLength,
      autoComplete: 'off',
    },
  } satisfies FormFields<Pick<ScriptValues, 'name' | 'note'>>
}
