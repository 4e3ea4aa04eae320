import type { Device } from '@grove/contract/maple/fleet/device'
import {
  deviceSortsOf,
  deviceStates,
  parseConditions,
} from '@grove/contract/maple/fleet/device.rules'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { Cpu, Pencil } from 'lucide-react'
import { api } from '../../../../session/api.ts'
import { stage } from '../../../../session/stage.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { onDemand, usePrefetch } from '../../../../ui/kit/on-demand.tsx'
import { dash } from '../../../../ui/i18n/moment-text.ts'
import { MenuItem } from '../../../../ui/menu/menu-item.tsx'
import { momentColumn, nameColumn, stateColumn } from '../../../../ui/table/columns.tsx'
import { optionsOf, ResourceList } from '../../../../ui/table/resource-list.tsx'
import type { DataColumn } from '../../../../ui/table/types.ts'
import { useAddress } from '../../../../ui/table/use-address.ts'
import { useResourceList } from '../../../../ui/table/use-resource-list.ts'
import { CopyableId } from '../../../../ui/text/copyable-id.tsx'
import { useDeviceWords } from '../device-words.ts'
import { groupQuery } from '../group.api.ts'
import { useSeenWords } from '../seen-words.ts'
import { devices, ownDevices, waiting, type DeviceScope } from './device.api.ts'
import { DeviceStateBadge, DeviceTypeText } from './device.labels.tsx'
import { deviceList, deviceQuery, filterOfQuery } from './device.search.ts'
import styles from './device.list.module.css'

const DevicePanel = onDemand(
  () => import('./device.panel.tsx').then((module) => module.DevicePanel),
  'maple-parts',
)
const CreateDevice = onDemand(
  () => import('./form/create-device.tsx').then((module) => module.CreateDevice),
  'maple-parts',
)
const BulkActions = onDemand(
  () => import('./bulk/bulk-actions.tsx').then((module) => module.BulkActions),
  'maple-parts',
)
const RowItems = onDemand(
  () => import('./row-items.tsx').then((module) => module.RowItems),
  'maple-parts',
)
const ListLead = onDemand(
  () => import('./list-lead.tsx').then((module) => module.ListLead),
  'maple-parts',
)
const ListText = onDemand(
  () => import('./list-text.tsx').then((module) => module.ListText),
  'maple-parts',
)
const AttributeValueText = onDemand(
  () => import('./attribute.labels.tsx').then((module) => module.AttributeValueText),
  'maple-parts',
)
const LookNotice = onDemand(
  () => import('./look-notice.tsx').then((module) => module.LookNotice),
  'maple-parts',
)
const DeviceTools = onDemand(
  () => import('./device-tools.tsx').then((module) => module.DeviceTools),
  'maple-parts',
)

/** The devices of a scope, and beside them one device or the form for a new one. */
export function DeviceList({ scope }: { scope: DeviceScope }) {
  const { i18n, t } = useLingui()
  const words = useDeviceWords()
  const seen = useSeenWords()
  const isOwn = scope === 'own'
  const list = useResourceList(isOwn ? ownDevices : devices)
  const confirmed = useConfirmed()
  const { search, onSearch } = useAddress(deviceList.read)
  const router = useRouter()
  const query = deviceQuery(deviceList.page(search))
  // A group's rule counts as a filter, and only the service knows it.
  const sorts = list.result.data?.sorts ?? deviceSortsOf(query)
  const sort = sorts.find((each) => each === query.sort) ?? sorts[0] ?? query.sort
  const { createdOn = [], tag = [], attribute = [] } = search
  const { serviceId = [], productId = [], groupId = [], importId = [] } = search
  const product = useName('/api/maple/products', productId[0])
  const group = useGroupName(groupId[0])
  const service = useName('/api/maple/service', isOwn ? undefined : serviceId[0])
  const columns = useDeviceColumns(query.sort === 'attribute' ? attribute : [])
  usePrefetch(BulkActions, RowItems)

  const dayText = (day: string) =>
    i18n.date(new Date(day), { dateStyle: 'medium', timeZone: 'UTC' })

  const rowActions = (device: Device) => (
    <>
      <MenuItem onSelect={() => list.open(device.id, true)}>
        <Pencil size={16} aria-hidden />
        <Trans>Edit</Trans>
      </MenuItem>
      <RowItems device={device} confirmed={confirmed} />
    </>
  )
  const bulkActions = (ids: string[], clear: () => void) => (
    <BulkActions ids={ids} devices={list.rows} onDone={clear} />
  )

  return (
    <>
      <ResourceList
        list={{
          ...list,
          // The filters determine which columns are sortable.
          table: { ...list.table, sorts, view: { ...list.table.view, sort } },
        }}
        tools={
          <div className={styles.tools}>
            <DeviceTools
              scope={scope}
              labels={search}
              onLabels={(labels) =>
                onSearch({ ...labels, sort: undefined, order: undefined, cursor: undefined })
              }
              filter={filterOfQuery(query)}
              search={router.options.stringifySearch({
                ...search,
                ...deviceList.opened(undefined),
                cursor: undefined,
              })}
              onOpenView={(view) => onSearch(deviceList.read(router.options.parseSearch(view)))}
            />
          </div>
        }
        title={t`Devices`}
        description={<ListLead scope={scope} isReviewed={search.state?.join() === waiting.state} />}
        icon={Cpu}
        columns={columns}
        rowLabel={({ name }) => name}
        rowActions={rowActions}
        selectionActions={bulkActions}
        totalText={(count, more) =>
          t`${plural(count, { one: `#${more} device`, other: `#${more} devices` })}`
        }
        searchLabel={t`Search by ID, name, CPLC or serial`}
        filters={[
          { name: 'type', label: t`Type`, options: words.types },
          { name: 'state', label: t`State`, options: words.states },
          { name: 'seen', label: t`Last seen`, options: optionsOf(seen), isSingle: true },
          // A day is chosen in the overview's chart.
          ...(createdOn.length > 0
            ? [
                {
                  name: 'createdOn' as const,
                  label: t`Created`,
                  options: createdOn.map((value) => ({ value, label: dayText(value) })),
                  isSingle: true,
                },
              ]
            : []),
          ...chosen('tag', t`Tags`, tag),
          ...chosen('attribute', t`Attributes`, attribute),
          ...chosen('serviceId', t`Service provider`, serviceId, service),
          ...chosen('productId', t`Product`, productId, product),
          ...chosen('groupId', t`Group`, groupId, group),
          ...chosen('importId', t({ message: 'Import', context: 'a file of devices' }), importId),
        ]}
        notice={
          list.result.data?.isTruncated && (
            <LookNotice continues={query.q === undefined && list.result.data.next !== null} />
          )
        }
        empty={{
          title: t`No devices yet`,
          text: isOwn ? (
            <ListText of="firstStep" />
          ) : (
            t`A device is a thing in the field, or a virtual one, that contains secure elements. Register the first one to see its state and its elements here.`
          ),
          action: isOwn && <ListText of="link" />,
          hint: !isOwn && stage.stage === 'local' && <ListText of="sample" />,
        }}
        create={{ label: t`New device`, form: CreateDevice }}
        panel={DevicePanel}
        isEditable
      />
    </>
  )
}

/** Filters that are set elsewhere, each of which can be removed here. */
const chosen = <Name extends string>(
  name: Name,
  label: string,
  values: readonly string[],
  text?: string,
) =>
  values.length === 0
    ? []
    : [{ name, label, options: values.map((value) => ({ value, label: text ?? value })) }]

function useName(
  path: '/api/maple/products' | '/api/maple/service',
  id: string | undefined,
): string | undefined {
  const { data } = useQuery({
    ...api.maple.query(path, { query: { id: id ?? '' } }),
    enabled: id !== undefined,
  })
  return data?.items[0]?.name
}

function useGroupName(id: string | undefined): string | undefined {
  const { t } = useLingui()
  const { data } = useQuery({ ...groupQuery(id ?? ''), enabled: id !== undefined })
  return data && (data.items[0]?.name ?? t`a deleted group`)
}

/** The attribute of a range filter gets its own column. */
function useDeviceColumns(conditions: readonly string[]): DataColumn<Device>[] {
  const { t } = useLingui()
  const range = conditions
    .flatMap((text) => parseConditions(text) ?? [])
    .find(({ operator }) => operator !== '=')
  const { types } = useDeviceWords()
  return [
    nameColumn(deviceList, { id: 'name', header: t`Name`, text: ({ name }) => name }),
    {
      id: 'id',
      header: t`ID`,
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
      cell: ({ elements }: Partial<Device>) => elements?.length ?? dash,
    },
    {
      id: 'tags',
      header: t`Tags`,
      isSecondary: true,
      phone: 'hidden',
      cell: ({ tags }) => <bdi>{tags.join(', ')}</bdi>,
    },
    ...(range
      ? [
          {
            id: 'attribute',
            header: range.key,
            cell: ({ attributes }: Device) => {
              const value = attributes[range.key]
              return value && <AttributeValueText value={value} />
            },
          },
        ]
      : []),
    momentColumn('lastSeenAt', t`Last seen`),
    momentColumn('createdAt', t`Created`, { isSecondary: true, phone: 'hidden' }),
  ]
}
