import type { OpenCloudHandler } from '@grove/contract/maple/program/cloud-handler'
import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { Ban, Pencil, Play, Trash2, Upload } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { onePath, path, refreshHandler } from './cloud-handler.api.ts'

const RenameHandler = onDemand(() =>
  import('./cloud-handler.form.tsx').then((file) => file.RenameHandler),
)

interface HandlerActionsProps {
  handler: OpenCloudHandler
  /** Whether everything typed has been saved. */
  isSaved: boolean
}

/** Publishes, disables and deletes a handler. */
export function HandlerActions({ handler, isSaved }: HandlerActionsProps) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const navigate = useNavigate()
  const [isRenaming, setRenaming] = useState(false)
  const { id, name, revision, rights, state, deployed, isChanged } = handler
  const params = { id }
  const isDisabled = state === 'disabled'
  const denied = rights.change ? t`You do not have the right to change handlers.` : undefined
  const next = (deployed?.version ?? 0) + 1
  const whyNotPublished = !isSaved
    ? t`Save the draft first.`
    : deployed && !isChanged
      ? t`The draft is published already.`
      : undefined

  const publish = () =>
    confirmed({
      question: {
        title: t`Publish the draft of “${name}”?`,
        text: t`It becomes an immutable version that runs from now on. You can roll back to any version.`,
        action: t`Publish`,
      },
      change: () => api.maple.post(`${path}/{id}/deploy`, { params, ifMatch: revision, body: {} }),
      done: (saved) => t`Version ${saved.deployed?.version ?? next} is published.`,
      refresh: () => refreshHandler(),
    })
  const disable = () =>
    confirmed({
      question: {
        title: t`Disable “${name}”?`,
        text: t`It accepts no further deliveries, and webhooks are refused. Pending deliveries run once it is enabled again.`,
        action: t({ message: 'Disable', context: 'a handler' }),
        isDanger: true,
      },
      change: () =>
        api.maple.put(onePath, { params, ifMatch: revision, body: { isDisabled: true } }),
      done: () => t`“${name}” is disabled.`,
      refresh: () => refreshHandler(),
    })
  const enable = () =>
    confirmed({
      question: {
        title: t`Enable “${name}”?`,
        text: t`Pending deliveries run now.`,
        action: t({ message: 'Enable', context: 'a handler' }),
      },
      change: () =>
        api.maple.put(onePath, { params, ifMatch: revision, body: { isDisabled: false } }),
      done: () => t`“${name}” is enabled.`,
      refresh: () => refreshHandler(),
    })
  const remove = () =>
    confirmed({
      question: {
        title: t`Delete “${name}”?`,
        text: t`Its versions, secrets and runs are deleted. Its events stay in the audit trail.`,
        action: t`Delete the handler`,
        isDanger: true,
      },
      change: () => api.maple.delete(onePath, { params, ifMatch: revision }),
      done: () => t`“${name}” is deleted.`,
      onDone: () => void navigate({ to: '/dashboard/maple/cloud_handlers' }),
      refresh: () => refreshHandler(),
    })
  return (
    <div className="actions">
      <PanelAction
        icon={Upload}
        label={t`Publish…`}
        refusal={denied ?? whyNotPublished}
        onAct={() => void publish()}
      />
      {isDisabled ? (
        <PanelAction icon={Play} label={t`Enable…`} refusal={denied} onAct={() => void enable()} />
      ) : (
        <PanelAction icon={Ban} label={t`Disable…`} refusal={denied} onAct={() => void disable()} />
      )}
      <PanelAction
        icon={Pencil}
        label={t`Rename…`}
        refusal={denied}
        onAct={() => setRenaming(true)}
      />
      <PanelAction icon={Trash2} label={t`Delete…`} refusal={denied} onAct={() => void remove()} />
      {isRenaming && <RenameHandler handler={handler} onClose={() => setRenaming(false)} />}
    </div>
  )
}
