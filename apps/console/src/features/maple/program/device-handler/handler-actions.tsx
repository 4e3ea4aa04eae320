import type { DeviceHandler } from '@grove/contract/maple/program/device-handler'
import { maxDeviceHandlerNoteLength } from '@grove/contract/maple/program/device-handler.rules'
import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { Pencil, Trash2, Upload } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { PublishProgram, usePublishRefusal } from '../publish/publish-program.tsx'
import { path, refreshHandler } from './device-handler.api.ts'

const RenameHandler = onDemand(() =>
  import('./device-handler.form.tsx').then((file) => file.RenameHandler),
)

interface HandlerActionsProps {
  handler: DeviceHandler
  isSaved: boolean
}

/** Publishes, renames and deletes a handler. */
export function HandlerActions({ handler, isSaved }: HandlerActionsProps) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<'publish' | 'rename'>()
  const { id, name, revision, products, rights } = handler
  const change = { params: { id }, ifMatch: revision }
  const forbidden = rights.change === null ? undefined : t`You do not have the right to do this.`
  const remove = () =>
    confirmed({
      question: {
        title: t`Delete “${name}”?`,
        text: t`Its versions and tests are deleted with it. Decoded data stays.`,
        action: t`Delete the device handler`,
        isDanger: true,
      },
      change: () => api.maple.delete(`${path}/{id}`, change),
      done: () => t`“${name}” is deleted.`,
      onDone: () => void navigate({ to: '/dashboard/maple/device_handlers' }),
      refresh: () => refreshHandler(),
    })
  const close = () => setDialog(undefined)
  const whyNotPublished = usePublishRefusal(handler, isSaved)
  return (
    <div className="actions">
      <PanelAction
        icon={Upload}
        label={t`Publish…`}
        refusal={forbidden ?? whyNotPublished}
        onAct={() => setDialog('publish')}
      />
      <PanelAction
        icon={Pencil}
        label={t`Rename…`}
        refusal={forbidden}
        onAct={() => setDialog('rename')}
      />
      <PanelAction
        icon={Trash2}
        label={t`Delete…`}
        refusal={forbidden ?? (products.length > 0 ? t`A product is using it.` : undefined)}
        onAct={() => void remove()}
      />
      {dialog === 'publish' && (
        <PublishProgram
          hint={t`From now on, this version decodes the messages of its products’ devices.`}
          maxLength={maxDeviceHandlerNoteLength}
          publish={(body) => api.maple.post(`${path}/{id}/publish`, { ...change, body })}
          refresh={refreshHandler}
          onClose={close}
        />
      )}
      {dialog === 'rename' && <RenameHandler handler={handler} onClose={close} />}
    </div>
  )
}
