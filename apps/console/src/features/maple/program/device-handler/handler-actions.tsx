import type {
  DeviceHandler,
  DeviceHandlerVersion,
} from '@grove/contract/maple/program/device-handler'
import { maxDeviceHandlerNoteLength } from '@grove/contract/maple/program/device-handler.rules'
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
  const { id, name, revision, version, isChanged, products, rights } = handler
  const forbidden = rights.change === null ? undefined : t`You do not have the right to do this.`
  const remove = () =>
    confirmed({
      question: {
        title: t`Delete “${name}”?`,
        text: t`Its versions and tests are deleted with it. Decoded data stays.`,
        action: t`Delete the device handler`,
        isDanger: true,
      },
      change: () => api.maple.delete(`${path}/{id}`, { params: { id }, ifMatch: revision }),
      done: () => t`“${name}” is deleted.`,
      onDone: () => void navigate({ to: '/dashboard/maple/device_handlers' }),
      refresh: () => refreshHandler(),
    })
  const close = () => setDialog(undefined)
  const whyNotPublished = !isSaved
    ? t`Save the draft first.`
    : version !== null && !isChanged
      ? t`Version ${version} is this draft.`
      : undefined
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
      {dialog === 'publish' && <PublishHandler handler={handler} onClose={close} />}
      {dialog === 'rename' && <RenameHandler handler={handler} onClose={close} />}
    </div>
  )
}

function PublishHandler({ handler, onClose }: { handler: DeviceHandler; onClose: () => void }) {
  const { t } = useLingui()
  const form = useForm<{ note: string }, DeviceHandlerVersion>({
    values: { note: '' },
    submit: (body) =>
      api.maple.post(`${path}/{id}/publish`, {
        params: { id: handler.id },
        ifMatch: handler.revision,
        body,
      }),
    onSaved: ({ number }) => {
      void refreshHandler()
      notify({ text: t`Version ${number} is published.` })
      onClose()
    },
    isOnce: true,
  })
  return (
    <FormDialog
      title={t`Publish the draft`}
      form={form}
      submitLabel={t({ message: 'Publish', context: 'a device handler' })}
      onClose={onClose}
    >
      <Fields
        form={form}
        fields={{
          note: {
            label: t`What changed (optional)`,
            hint: t`From now on, this version decodes the messages of its products’ devices.`,
            maxLength: maxDeviceHandlerNoteLength,
            autoComplete: 'off',
          },
        }}
      />
    </FormDialog>
  )
}
