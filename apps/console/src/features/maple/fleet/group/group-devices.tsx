import type { DeviceGroup } from '@grove/contract/maple/fleet/group'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import { problemText } from '../../../../api/problem-text.ts'
import { Combobox } from '../../../../ui/kit/combobox.tsx'
import { iconName } from '../../../../ui/kit/tooltip.ts'
import { Link } from '../../../../ui/link/link.tsx'
import { useDevicesPage } from '../devices-page.ts'
import { changeGroup, refreshDevices } from '../group.api.ts'
import { devicesQuery, searchDevices, shownDevices } from './group.api.ts'
import styles from './group-devices.module.css'

/** The first devices of a group; if it is a list, they are added and removed here. */
export function GroupDevices({ group: { id, rights } }: { group: DeviceGroup }) {
  const { t, i18n } = useLingui()
  const devicesPage = useDevicesPage()
  const { data, error } = useQuery(devicesQuery(id))
  const [problem, setProblem] = useState<unknown>()
  const isList = rights.changeDevices === null
  const change = async (body: Parameters<typeof changeGroup>[1]) => {
    setProblem(undefined)
    try {
      await changeGroup(id, body)
    } catch (refused) {
      setProblem(refused)
    }
    await refreshDevices()
  }
  const { count, items = [] } = data ?? {}
  const failure = problem ?? error
  return (
    <section className={styles.devices} aria-label={t`Devices of the group`}>
      <h3>
        {t`Devices`}
        {count && ` · ${i18n.number(count.value)}${count.isCapped ? '+' : ''}`}
      </h3>
      {failure !== undefined && failure !== null && (
        <p role="alert" className="field-error">
          {problemText(failure, i18n)}
        </p>
      )}
      {items.length > 0 && (
        <ul>
          {items.map((device) => (
            <li key={device.id}>
              <Link to={devicesPage} search={{ device: device.id }} preload={false}>
                <bdi>{device.name}</bdi>
              </Link>
              {isList && (
                <button
                  type="button"
                  className="button quiet icon"
                  {...iconName(t`Remove ${device.name} from the group`)}
                  onClick={() => void change({ remove: [device.id] })}
                >
                  <X size={16} aria-hidden />
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {data && items.length === 0 && (
        <p className="muted">
          {isList ? (
            <Trans>No devices yet. Add them here, or select some in the list of devices.</Trans>
          ) : (
            <Trans>The rule finds no devices now.</Trans>
          )}
        </p>
      )}
      {isList && (
        <Combobox
          label={t`Add a device`}
          placeholder={t`Add a device`}
          value={null}
          options={searchDevices}
          onChange={(option) => option && void change({ add: [option.id] })}
        />
      )}
      {data?.next && (
        <p className="muted">
          <Trans>The first {shownDevices}. The list of devices shows all of them.</Trans>
        </p>
      )}
    </section>
  )
}
