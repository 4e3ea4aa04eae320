import { useLingui } from '@lingui/react/macro'
import { api } from '../../../../session/api.ts'
import { useForm } from '../../../../ui/form/use-form.ts'
import { SidePanel } from '../../../../ui/panel/side-panel.tsx'
import { notify } from '../../../../ui/toast/notify.ts'
import { devices } from '../device.api.ts'
import { DeviceForm } from '../device.form.tsx'
import { creationOf, newDevice } from './device-values.ts'
import { deviceFields, useDeviceCheck } from './device-fields.ts'

interface CreateDeviceProps {
  onCreated: (id: string) => void
  onClose: () => void
}

export function CreateDevice({ onCreated, onClose }: CreateDeviceProps) {
  const { t } = useLingui()
  const form = useForm({
    ...deviceFields,
    values: newDevice,
    check: useDeviceCheck(),
    submit: (values) => api.maple.post('/api/maple/device', { body: creationOf(values) }),
    onSaved: (device) => {
      void devices.refresh(device)
      const { name } = device
      notify({ text: t`“${name}” is registered.` })
      onCreated(device.id)
    },
    isOnce: true,
  })
  return (
    <SidePanel title={t`Register a device`} mode="form" onClose={onClose}>
      <DeviceForm
        form={form}
        isNew
        onCancel={onClose}
        submitLabel={t`Register`}
        draft="new-device"
        isKeptBy={(search) => search['create'] === true}
      />
    </SidePanel>
  )
}
