import type { Device } from '@grove/contract/maple/fleet/device'
import { useLingui } from '@lingui/react/macro'
import { api } from '../../../../../session/api.ts'
import { EditItem } from '../../../../../ui/panel/edit-item.tsx'
import { devices } from '../device.api.ts'
import { DeviceFields } from '../device.form.tsx'
import { useDeviceWords } from '../../device-words.ts'
import { deviceFields, useDeviceCheck } from './device-fields.ts'
import { changeOf, valuesOf, type DeviceValues } from './device-values.ts'
import { AttributeFacts } from './attribute-facts.tsx'
import { ElementNames } from './element-names.tsx'

/** The form of a device. */
export function EditDevice({ device, onEnd }: { device: Device; onEnd: () => void }) {
  const { t } = useLingui()
  const words = useDeviceWords()
  const show = (value: unknown, path: string) => {
    if (path === 'type') return words.type[value as Device['type']]
    if (path === 'state') return words.state[value as Device['state']]
    if (path === 'attributes') return <AttributeFacts rows={value as DeviceValues['attributes']} />
    if (path === 'elements') return <ElementNames rows={value as DeviceValues['elements']} />
  }
  return (
    <EditItem
      items={devices}
      item={device}
      valuesOf={valuesOf}
      form={{
        ...deviceFields,
        isSame: (one, other) => changeOf(one, other) === undefined,
        check: useDeviceCheck(),
        submit: (values, from, ifMatch) =>
          api.maple.put('/api/maple/device', {
            query: { id: device.id },
            ...ifMatch,
            body: changeOf(from, values) ?? {},
          }),
      }}
      labels={{
        name: t`Name`,
        type: t`Type`,
        state: t`State`,
        elements: t`Secure elements`,
        tags: t`Tags`,
        attributes: t`Attributes`,
        serviceId: t`Service provider`,
        innerId: t`Inner ID`,
        accountId: t`Account`,
      }}
      show={show}
      onEnd={onEnd}
    >
      {(form) => <DeviceFields form={form} isNew={false} />}
    </EditItem>
  )
}
