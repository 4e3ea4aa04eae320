import type { Device } from '@grove/contract'
import { deviceSearchLimit } from '@grove/contract/maple/device.rules'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Archive, Cpu, Pencil, Plus, TriangleAlert } from 'lucide-react'
import { stage } from '../../../session/stage.ts'
import { DateText, LongestRelativeDates } from '../../../ui/i18n/date-text.tsx'
import { onDemand, usePrefetch } from '../../../ui/kit/on-demand.tsx'
import { MenuItem } from '../../../ui/menu/menu-item.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import { FilterBar } from '../../../ui/table/filter-bar.tsx'
import { RowLink } from '../../../ui/table/row-link.tsx'
import type { DataColumn } from '../../../ui/table/types.ts'
import { useAddress } from '../../../ui/table/use-address.ts'
import { useList } from '../../../ui/table/use-list.ts'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import { CopyableId } from '../../../ui/text/copyable-id.tsx'
import { EmptyState } from '../../../ui/text/empty-state.tsx'
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
const sampleCommand = 'npm run sample -- --devices 20000'

/** The fleet, and beside it one device or the form of a new one. */
export function DeviceList() {
  const { i18n, t } = useLingui()
  const words = useDeviceWords()
  const columns = useDeviceColumns()
  const { retire, refusal } = useRetire()
  const { search, onSearch } = useAddress(deviceList.read)
  const list = useList(devices, search, onSearch)
  usePrefetch(DevicePanel, CreateDevice, BulkActions)

  const createButton = (className: string) => (
    <button type="button" className={className} onClick={list.create}>
      <Plus size={16} aria-hidden />
      <Trans>Register a device</Trans>
    </button>
  )

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
      <PageHeader
        title={<Trans>Devices</Trans>}
        description={<Trans>Every device of the fleet with its secure elements.</Trans>}
        action={createButton('button primary')}
      />
      <DataTable
        {...list.table}
        label={t`Devices`}
        columns={columns}
        rowLabel={({ name }) => name}
        onEdit={({ id }) => list.open(id, true)}
        rowActions={rowActions}
        readAllIds={list.readAllIds}
        selectionActions={bulkActions}
        totalText={(count, isMore) => {
          const number = i18n.number(count)
          return isMore
            ? t`${number}+ devices`
            : t`${plural(count, { one: '# device', other: '# devices' })}`
        }}
        filters={
          <FilterBar
            searchLabel={t`Search by id, name, CPLC or serial`}
            {...list.filterBar([
              { name: 'type', label: t`Type`, options: words.types },
              { name: 'state', label: t`State`, options: words.states },
            ])}
          />
        }
        notice={
          list.result.data?.isTruncated && <Truncated limit={i18n.number(deviceSearchLimit)} />
        }
        empty={
          <EmptyState
            icon={Cpu}
            title={t`No devices yet`}
            text={t`A device is a thing in the field, or a virtual one, that carries secure elements. Register the first one to see its state and its elements here.`}
            action={
              <>
                {createButton('button')}
                {stage.stage === 'local' && (
                  <p>
                    <Trans>
                      To try a sample fleet, stop the platform and run <code>{sampleCommand}</code>
                    </Trans>{' '}
                    <CopyButton value={sampleCommand} />
                  </p>
                )}
              </>
            }
          />
        }
      />
      {list.isCreating ? (
        <CreateDevice onClose={list.close} onCreated={list.open} />
      ) : (
        list.panel && <DevicePanel {...list.panel} />
      )}
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
  const { types, states } = useDeviceWords()
  return [
    {
      id: 'name',
      header: t`Name`,
      sort: 'name',
      isPrimary: true,
      cell: ({ id, name }) => (
        <RowLink open={deviceList.opened(id)} title={name}>
          <bdi>{name}</bdi>
        </RowLink>
      ),
    },
    {
      id: 'id',
      header: t`Id`,
      sort: 'id',
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
    {
      id: 'state',
      header: t`State`,
      phone: 'state',
      sample: states.map(({ value }) => <DeviceStateBadge key={value} state={value} />),
      cell: ({ state }) => <DeviceStateBadge state={state} />,
    },
    {
      id: 'elements',
      header: t`Elements`,
      align: 'end',
      isSecondary: true,
      phone: 'hidden',
      cell: ({ elements }) => elements.length,
    },
    {
      id: 'lastSeenAt',
      header: t`Last seen`,
      sort: 'lastSeenAt',
      firstOrder: 'desc',
      sample: <LongestRelativeDates />,
      cell: ({ lastSeenAt }) => <DateText value={lastSeenAt} isRelative />,
    },
    {
      id: 'createdAt',
      header: t`Created`,
      sort: 'createdAt',
      firstOrder: 'desc',
      isSecondary: true,
      phone: 'hidden',
      sample: <LongestRelativeDates />,
      cell: ({ createdAt }) => <DateText value={createdAt} isRelative />,
    },
  ]
}
