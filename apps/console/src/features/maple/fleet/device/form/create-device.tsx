import { useLingui } from '@lingui/react/macro'
import { api } from '../../../../../session/api.ts'
import { CreateItem, type NewItem } from '../../../../../ui/panel/create-item.tsx'
import { devices } from '../device.api.ts'
import { DeviceFields } from '../device.form.tsx'
import { deviceFields, useDeviceCheck } from './device-fields.ts'
import { creationOf, newDevice } from './device-values.ts'

export function CreateDevice(panel: NewItem) {
  const { t } = useLingui()
  return (
    <CreateItem
      {...panel}
      items={devices}
      title={t`New device`}
      submitLabel={t`Create`}
      savedText={({ name }) => t`“${name}” is registered.`}
      form={{
        ...deviceFields,
        values: newDevice,
        check: useDeviceCheck(),
        submit: (values) => api.maple.post('/api/maple/device', { body: creationOf(values) }),
      }}
    >
      {(form) => <DeviceFields form={form} isNew />}
    </CreateItem>
  )
}
