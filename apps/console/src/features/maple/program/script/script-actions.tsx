import type { Script, ScriptVersion } from '@grove/contract/maple/program/script'
import { maxScriptNoteLength } from '@grove/contract/maple/program/script.rules'
import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { Pencil, Trash2, Upload } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../session/api.ts'
import { FormDialog } from '../../../../ui/dialog/form-dialog.tsx'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { Fields } from '../../../../ui/form/fields.tsx'
import { useForm } from '../../../../ui/form/use-form.ts'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { notify } from '../../../../ui/toast/notify.ts'
import { RollOut } from '../../base/roll-out.tsx'
import { path, refreshScript } from './script.api.ts'

const RenameScript = onDemand(() => import('./script.form.tsx').then((file) => file.RenameScript))

/** Publishes, renames and deletes a script. */
export function ScriptActions({ script, isSaved }: { script: Script; isSaved: boolean }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<'publish' | 'rename'>()
  const { id, name, revision, version, isChanged } = script
  const remove = () =>
    confirmed({
      question: {
        title: t`Delete “${name}”?`,
        text: t`Its versions and runs are deleted with it. The sessions of its runs stay.`,
        action: t`Delete the script`,
        isDanger: true,
      },
      change: () => api.maple.delete(`${path}/{id}`, { params: { id }, ifMatch: revision }),
      done: () => t`“${name}” is deleted.`,
      onDone: () => void navigate({ to: '/dashboard/maple/scripts' }),
      refresh: () => refreshScript(),
    })
  const close = () => setDialog(undefined)
  return (
    <div className="actions">
      <PanelAction
        icon={Upload}
        label={t`Publish…`}
        refusal={
          !isSaved
            ? t`Save the draft first.`
            : version !== null && !isChanged
              ? t`Version ${version} is this draft.`
              : undefined
        }
        onAct={() => setDialog('publish')}
      />
      <RollOut
        kind="script"
        id={id}
        refusal={version === null ? t`Publish it first.` : undefined}
      />
      <PanelAction icon={Pencil} label={t`Rename…`} onAct={() => setDialog('rename')} />
      <PanelAction icon={Trash2} label={t`Delete…`} onAct={() => void remove()} />
      {dialog === 'publish' && <PublishScript script={script} onClose={close} />}
      {dialog === 'rename' && <RenameScript script={script} onClose={close} />}
    </div>
  )
}

function PublishScript({ script, onClose }: { script: Script; onClose: () => void }) {
  const { t } = useLingui()
  const form = useForm<{ note: string }, ScriptVersion>({
    values: { note: '' },
    submit: (body) =>
      api.maple.post(`${path}/{id}/publish`, {
        params: { id: script.id },
        ifMatch: script.revision,
        body,
      }),
    onSaved: ({ number }) => {
      void refreshScript()
      notify({ text: t`Version ${number} is published.` })
      onClose()
    },
    isOnce: true,
  })
  return (
    <FormDialog
      title={t`Publish the draft`}
      form={form}
      submitLabel={t({ message: 'Publish', context: 'a script' })}
      onClose={onClose}
    >
      <Fields
        form={form}
        fields={{
          note: {
            label: t`What changed (optional)`,
            hint: t`A version never changes: rollouts and other people run versions.`,
            maxLength: maxScriptNoteLength,
            autoComplete: 'off',
          },
        }}
      />
    </FormDialog>
  )
}
