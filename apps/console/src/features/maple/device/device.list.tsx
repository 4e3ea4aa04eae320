import type { Device } from '@grove/contract'
import { deviceSearchLimit, deviceStates } from '@grove/contract/maple/device.rules'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Archive, Cpu, Pencil, TriangleAlert, Unlink } from 'lucide-react'
import { useState } from 'react'
import { stage } from '../../../session/stage.ts'
import { onDemand, usePrefetch } from '../../../ui/kit/on-demand.tsx'
import { MenuItem } from '../../../ui/menu/menu-item.tsx'
import { momentColumn, nameColumn, stateColumn } from '../../../ui/table/columns.tsx'
import { ResourceList } from '../../../ui/table/resource-list.tsx'
import type { DataColumn } from '../../../ui/table/types.ts'
import { useResourceList } from '../../../ui/table/use-resource-list.ts'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import { CopyableId } from '../../../ui/text/copyable-id.tsx'
import { devices } from './device.api.ts'
import { DeviceStateBadge, DeviceTypeText, useDeviceWords } from './device.labels.tsx'
import { deviceList } from './device.search.ts'
import styles from './devices.module.css'
import { useRetire } from './use-retire.tsx'

const DevicePanel = onDemand(() =>
  import('./device.panel.tsx').then((module) => module.DevicePanel),
)
const CreateDevice = onDemand(() =>
  import('./form/create-device.tsx').then((module) => module.CreateDevice),
)
const BulkActions = onDemand(() =>
  import('./bulk/bulk-actions.tsx').then((module) => module.BulkActions),
)
const UnlinkWearable = onDemand(() =>
  import('./unlink-wearable.tsx').then((module) => module.UnlinkWearable),
)
const sampleCommand = 'npm run sample -- --devices 20000'

/** The fleet, and beside it one device or the form of a new one. */
export function DeviceList() {
  const { i18n, t } = useLingui()
  const words = useDeviceWords()
  const columns = useDeviceColumns()
  const { retire, refusal } = useRetire()
  const list = useResourceList(devices)
  const [isUnlinking, setUnlinking] = useState(false)
  usePrefetch(BulkActions)

  const rowActions = (device: Device) => (
    <>
      <MenuItem onSelect={() => list.open(device.id, true)}>
        <Pencil size={16} aria-hidden />
        <Trans>Edit</Trans>
      </MenuItem>
      <MenuItem isDanger disabledReason={refusal(device)} onSelect={() => void retire(device)}>
        <Archive size={16} aria-hidden />
        <Trans>Retire…</Trans>
      </MenuItem>
    </>
  )
  const bulkActions = (ids: string[], clear: () => void) => (
    <BulkActions ids={ids} devices={list.rows} onDone={clear} />
  )

  return (
    <>
      <ResourceList
        list={list}
        intro={
          <p>
            <button type="button" className="button" onClick={() => setUnlinking(true)}>
              <Unlink size={16} aria-hidden />
              <Trans>Unlink a wearable…</Trans>
            </button>
          </p>
        }
        title={t`Devices`}
        description={t`Every device of the fleet with its secure elements.`}
        icon={Cpu}
        columns={columns}
        rowLabel={({ name }) => name}
        rowActions={rowActions}
        selectionActions={bulkActions}
        totalText={(count, more) =>
          t`${plural(count, { one: `#${more} device`, other: `#${more} devices` })}`
        }
        searchLabel={t`Search by id, name, CPLC or serial`}
        filters={[
          { name: 'type', label: t`Type`, options: words.types },
          { name: 'state', label: t`State`, options: words.states },
        ]}
        notice={
          list.result.data?.isTruncated && <Truncated limit={i18n.number(deviceSearchLimit)} />
        }
        empty={{
          title: t`No devices yet`,
          text: t`A device is a thing in the field, or a virtual one, that carries secure elements. Register the first one to see its state and its elements here.`,
          hint: stage.stage === 'local' && (
            <p>
              <Trans>
                To try a sample fleet, stop the platform and run <code>{sampleCommand}</code>
              </Trans>{' '}
              <CopyButton value={sampleCommand} />
            </p>
          ),
        }}
        create={{ label: t`Register a device`, form: CreateDevice }}
        panel={DevicePanel}
        isEditable
      />
      {isUnlinking && <UnlinkWearable onClose={() => setUnlinking(false)} />}
    </>
  )
}

const Truncated = ({ limit }: { limit: string }) => (
  <output className={styles.truncated}>
    <TriangleAlert size={14} aria-hidden />
    <Trans>First {limit} matches only: type more to narrow it down</Trans>
  </output>
)

function useDeviceColumns(): DataColumn<Device>[] {
  const { t } = useLingui()
  const { types } = useDeviceWords()
  return [
    nameColumn(deviceList, { id: 'name', header: t`Name`, text: ({ name }) => name }),
    {
      id: 'id',
      header: t`Id`,
      isSecondary: true,
      phone: 'hidden',
      cell: ({ id }) => <CopyableId value={id} />,
    },
    {
      id: 'type',
      header: t`Type`,
      sample: types.map(({ value }) => <DeviceTypeText key={value} type={value} />),
      cell: ({ type }) => <DeviceTypeText type={type} />,
    },
    stateColumn(
      t`State`,
      DeviceStateBadge,
      deviceStates.map((state) => ({ state })),
    ),
    {
      id: 'elements',
      header: t`Elements`,
      align: 'end',
      isSecondary: true,
      phone: 'hidden',
      cell: ({ elements }) => elements.length,
    },
    momentColumn('lastSeenAt', t`Last seen`),
    momentColumn('createdAt', t`Created`, { isSecondary: true, phone: 'hidden' }),
  ]
}
