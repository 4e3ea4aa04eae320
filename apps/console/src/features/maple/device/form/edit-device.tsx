import type { Device } from '@grove/contract'
import { useLingui } from '@lingui/react/macro'
import { api } from '../../../../session/api.ts'
import { ConflictNotice } from '../../../../ui/form/conflict-notice.tsx'
import { useEditForm } from '../../../../ui/form/use-edit-form.ts'
import { notify } from '../../../../ui/toast/notify.ts'
import { devices } from '../device.api.ts'
import { DeviceForm } from '../device.form.tsx'
import { useDeviceWords } from '../device.labels.tsx'
import { ElementNames } from './element-names.tsx'
import { deviceFields, useDeviceCheck } from './device-fields.ts'
import { changeOf, valuesOf, type DeviceValues } from './device-values.ts'

const savedOf = (device: Device) => ({ values: valuesOf(device), revision: device.revision })

/** The form of a device. What others change meanwhile is merged into it. */
export function EditDevice({ device, onEnd }: { device: Device; onEnd: () => void }) {
  const { t } = useLingui()
  const words = useDeviceWords()
  const { id } = device
  const form = useEditForm<DeviceValues>({
    ...deviceFields,
    saved: savedOf(device),
    isSame: (one, other) => changeOf(one, other) === undefined,
    check: useDeviceCheck(),
    submit: async (values, from) => {
      const changed = await api.maple.put('/api/maple/device', {
        query: { id },
        ...(from.revision !== undefined && { ifMatch: from.revision }),
        body: changeOf(from.values, values) ?? {},
      })
      void devices.refresh(changed)
      return savedOf(changed)
    },
    load: async () => savedOf(await devices.read(id)),
    onSaved: () => {
      notify({ text: t`Saved.` })
      onEnd()
    },
  })
  const labels: Record<string, string> = {
    name: t`Name`,
    type: t`Type`,
    state: t`State`,
    elements: t`Secure elements`,
  }
  const show = (value: unknown, path: string) => {
    if (path === 'type') return words.type[value as Device['type']]
    if (path === 'state') return words.state[value as Device['state']]
    return path === 'elements' && <ElementNames rows={value as DeviceValues['elements']} />
  }

  return (
    <DeviceForm
      form={form}
      isNew={false}
      onCancel={onEnd}
      submitLabel={t`Save`}
      draft={`device ${id}`}
      isKeptBy={(search) => search['device'] === id && search['edit'] === true}
    >
      <ConflictNotice
        form={form}
        labelOf={(path) => labels[path] ?? path}
        show={(value, path) => show(value, path) || undefined}
      />
    </DeviceForm>
  )
}
