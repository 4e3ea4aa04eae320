import type { Script } from '@grove/contract/maple/program/script'
import { maxScriptNoteLength } from '@grove/contract/maple/program/script.rules'
import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { Pencil, Trash2, Upload } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { RollOut } from '../../base/roll-out.tsx'
import { PublishProgram, usePublishRefusal } from '../publish/publish-program.tsx'
import { path, refreshScript } from './script.api.ts'

const RenameScript = onDemand(() => import('./script.form.tsx').then((file) => file.RenameScript))

/** Publishes, renames and deletes a script. */
export function ScriptActions({ script, isSaved }: { script: Script; isSaved: boolean }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<'publish' | 'rename'>()
  const { id, name, revision, version } = script
  const change = { params: { id }, ifMatch: revision }
  const remove = () =>
    confirmed({
      question: {
        title: t`Delete “${name}”?`,
        text: t`Its versions and runs are deleted with it. The sessions of its runs stay.`,
        action: t`Delete the script`,
        isDanger: true,
      },
      change: () => api.maple.delete(`${path}/{id}`, change),
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
        refusal={usePublishRefusal(script, isSaved)}
        onAct={() => setDialog('publish')}
      />
      <RollOut
        kind="script"
        id={id}
        refusal={version === null ? t`Publish it first.` : undefined}
      />
      <PanelAction icon={Pencil} label={t`Rename…`} onAct={() => setDialog('rename')} />
      <PanelAction icon={Trash2} label={t`Delete…`} onAct={() => void remove()} />
      {dialog === 'publish' && (
        <PublishProgram
          hint={t`A version never changes: rollouts and other people run versions.`}
          maxLength={maxScriptNoteLength}
          publish={(body) => api.maple.post(`${path}/{id}/publish`, { ...change, body })}
          refresh={refreshScript}
          onClose={close}
        />
      )}
      {dialog === 'rename' && <RenameScript script={script} onClose={close} />}
    </div>
  )
}
