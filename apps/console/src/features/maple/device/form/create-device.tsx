import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { api } from '../../../../session/api.ts'
import { notify } from '../../../../ui/toast/notify.tsx'
import { SidePanel } from '../../../../ui/panel/side-panel.tsx'
import { refreshDevices } from '../device.api.ts'
import { DeviceForm } from '../device.form.tsx'
import { creationOf, newDevice, type DeviceValues } from './device-values.ts'

interface CreateDeviceProps {
  onCreated: (id: string) => void
  onClose: () => void
}

export function CreateDevice({ onCreated, onClose }: CreateDeviceProps) {
  const { t } = useLingui()
  const create = useMutation({
    mutationFn: (values: DeviceValues) =>
      api.maple.post('/api/maple/device', { body: creationOf(values) }),
    onSuccess: (device) => {
      void refreshDevices(device)
      const { name } = device
      notify({ text: t`“${name}” is registered.` })
      onCreated(device.id)
    },
  })
  return (
    <SidePanel title={t`Register a device`} onClose={onClose}>
      <DeviceForm
        initial={newDevice}
        isNew
        onSubmit={create.mutate}
        onCancel={onClose}
        isSubmitting={create.isPending || create.isSuccess}
        submitError={create.error}
        submitLabel={t`Register`}
        isKeptBy={(search) => search['create'] === true}
      />
    </SidePanel>
  )
}
