import type { Script } from '@grove/contract/maple/program/script'
import {
  maxScriptNameLength,
  maxScriptNoteLength,
} from '@grove/contract/maple/program/script.rules'
import { scriptExamples } from '@grove/contract/maple/program/script-examples.rules'
import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../../../session/api.ts'
import { ChangeDialog } from '../../../../ui/dialog/change-dialog.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import { type FormFields } from '../../../../ui/form/fields.tsx'
import { useNameField } from '../../../../ui/form/name-problem.ts'
import { CreateItem, type NewItem } from '../../../../ui/panel/create-item.tsx'
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
      title={t`New script`}
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
  const { id, name, note } = script
  return (
    <ChangeDialog
      title={t`Name and note`}
      submitLabel={t`Save`}
      fields={useScriptFields()}
      form={{
        values: { name, note },
        submit: (body) => api.maple.put(`${path}/{id}`, { params: { id }, body }),
        needsChange: true,
      }}
      done={() => t`Saved.`}
      refresh={refreshScript}
      onClose={onClose}
    />
  )
}

function useScriptFields() {
  const { t } = useLingui()
  return {
    name: useNameField(maxScriptNameLength),
    note: {
      label: t`Note (optional)`,
      hint: t`What it does, for the people who run it.`,
      maxLength: maxScriptNoteLength,
      autoComplete: 'off',
    },
  } satisfies FormFields<Pick<ScriptValues, 'name' | 'note'>>
}
