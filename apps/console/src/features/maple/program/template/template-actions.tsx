import type { Template } from '@grove/contract/maple/program/template'
import { problemsOfTemplate } from '@grove/contract/maple/program/template-step.rules'
import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { Archive, ArchiveRestore, Play, Rocket, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { useHandedElements } from '../../card/element-choice/handed-elements.ts'
import { RollOut } from '../../base/roll-out.tsx'
import { path, templates } from './template.api.ts'

const RunDialog = onDemand(() => import('./run-dialog.tsx').then((file) => file.RunDialog))

interface TemplateActionsProps {
  template: Template
  /** There are unsaved changes. */
  isDirty: boolean
}

/** Publishes a template, runs it, deprecates it, and deletes it. */
export function TemplateActions({ template, isDirty }: TemplateActionsProps) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const navigate = useNavigate()
  const handed = useHandedElements()
  const { id, name, state, version, revision, rights, isChanged } = template
  const mistakes = problemsOfTemplate(template).length
  const params = { id }
  const { refresh } = templates

  const publish = () =>
    confirmed({
      question: {
        title: t`Publish version ${(version ?? 0) + 1}?`,
        text: t`It is immutable, and runs on elements from now on.`,
        action: t`Publish`,
      },
      change: () => api.maple.post(`${path}/{id}/version`, { params, ifMatch: revision, body: {} }),
      done: (made) => t`Version ${made.number} is published.`,
      refresh,
    })
  const move = (to: 'published' | 'deprecated') =>
    api.maple.post(`${path}/{id}/state`, { params, ifMatch: revision, body: { state: to } })
  const deprecate = () =>
    confirmed({
      question: {
        title: t`Deprecate “${name}”?`,
        text: t`It cannot be run until it is restored. Runs in progress continue.`,
        action: t`Deprecate`,
      },
      change: () => move('deprecated'),
      done: () => t`The template is deprecated.`,
      refresh,
    })
  const restore = () =>
    confirmed({
      question: {
        title: t`Restore “${name}”?`,
        text: t`Its newest version can be run.`,
        action: t`Restore`,
      },
      change: () => move('published'),
      done: () => t`The template can be run.`,
      refresh,
    })
  const remove = () =>
    confirmed({
      question: {
        title: t`Delete “${name}”?`,
        text: t`Its versions and the results of its runs are deleted with it. The logs of its sessions stay.`,
        action: t`Delete the template`,
        isDanger: true,
      },
      change: () => api.maple.delete(path, { query: { id }, ifMatch: revision }),
      done: () => t`The template is deleted.`,
      onDone: () => void navigate({ to: '/dashboard/maple/templates' }),
      refresh,
    })

  const whyNotRun =
    rights.run === null
      ? undefined
      : state === 'draft'
        ? t`Publish it first.`
        : t`The template is deprecated.`
  const [isRunning, setRunning] = useState(handed.length > 0 && whyNotRun === undefined)
  const whyNotPublished = isDirty
    ? t`Save the draft first.`
    : mistakes > 0
      ? t`Fix the steps first.`
      : isChanged
        ? undefined
        : t`Nothing has changed since the last version.`
  return (
    <div className="actions">
      <PanelAction
        icon={Rocket}
        label={t`Publish…`}
        refusal={whyNotPublished}
        onAct={() => void publish()}
      />
      <PanelAction icon={Play} label={t`Run…`} refusal={whyNotRun} onAct={() => setRunning(true)} />
      <RollOut kind="template" id={id} refusal={whyNotRun} />
      {rights.deprecate === null && (
        <PanelAction icon={Archive} label={t`Deprecate…`} onAct={() => void deprecate()} />
      )}
      {rights.restore === null && (
        <PanelAction icon={ArchiveRestore} label={t`Restore…`} onAct={() => void restore()} />
      )}
      <PanelAction icon={Trash2} label={t`Delete…`} onAct={() => void remove()} />
      {isRunning && (
        <RunDialog
          template={template}
          first={{ elements: [...handed], input: {} }}
          onClose={() => setRunning(false)}
        />
      )}
    </div>
  )
}
