import type { BodyOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { ImportFormat } from '@grove/contract/maple/fleet/device-import.rules'
import { deviceSortsOf, type DeviceSort } from '@grove/contract/maple/fleet/device.rules'
import { isAdmin, type Actor } from '../../../../core/actor.ts'
import { staleContext } from '../../../../core/database/replica.ts'
import { emailsOf } from '../../../../core/people/directory.ts'
import { scopeOf, serviceOf } from '../../../../core/scope.ts'
import { exportEvents, type FleetContext } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import type { MapleDb } from '../../base/tables.ts'
import { choiceOf, withinGroup } from '../device/device-choice.ts'
import { listDevices } from '../device/device-list.service.ts'
import type { DeviceFacts } from '../device/device.queries.ts'
import { readEveryDevice } from '../device/every-device.queries.ts'
import { serviceNames } from './device-export.queries.ts'
import { exportFile, pageSize } from '../../base/export/export-file.ts'
import { ticketsOf } from '../../base/export/export-ticket.ts'

type ExportCall = Calls['POST /api/maple/device/export']
type Filter = Omit<BodyOf<ExportCall>, 'format'>

interface Given {
  format: ImportFormat
  filter: Filter
}

const tickets = ticketsOf<Given>('/api/maple/device/export')

/** Returns a URL for the browser's own download, which sends no token. */
export async function prepareExport(
  context: FleetContext,
  actor: Actor,
  { format, ...filter }: BodyOf<ExportCall>,
): Promise<ResponseOf<ExportCall>> {
  // A filter that cannot be read is refused here, and not in the file.
  await listDevices(context, actor, { ...filter, limit: 1 })
  await exportEvents.record(context.db, actor, 'device.export', 'devices', {
    after: { format, ...filter },
    of: serviceOf(scopeOf(actor)) ?? '',
  })
  return tickets.address(context, { actor, format, filter })
}

/** @throws ProblemError `not_found` for a forged or expired ticket. */
export async function openExport(context: FleetContext, ticket: string) {
  const { actor, format, filter } = tickets.read(context, ticket)
  const from = await staleContext(context, actor.id)
  const pages = context.readSnapshot(from, (db) =>
    withNames(db, actor, pagesOf({ db, now: context.now }, actor, filter)),
  )
  return exportFile<NamedDevice>(context, { name: 'devices', format, columns, pages })
}

type NamedDevice = DeviceFacts & { service: string | null; account: string | null }

/** Adds the names of a device's provider and account, for readers who may see them. */
async function* withNames(
  db: MapleDb,
  actor: Actor,
  pages: AsyncIterable<DeviceFacts[]>,
): AsyncGenerator<NamedDevice[], void> {
  for await (const devices of pages) {
    const accounts = devices.flatMap(({ accountId }) => accountId ?? [])
    // Only administrators see who others are.
    const shown = accounts.filter((id) => isAdmin(actor) || id === actor.id)
    const emails = await emailsOf(db, [...new Set(shown)])
    const services = await serviceNames(
      db,
      devices.flatMap(({ serviceId }) => serviceId ?? []),
    )
    yield devices.map((device) => ({
      ...device,
      service: services.get(device.serviceId ?? '') ?? null,
      account: emails.get(device.accountId ?? '') ?? null,
    }))
  }
}

async function* pagesOf(
  context: MapleContext,
  actor: Actor,
  given: Filter,
): AsyncGenerator<DeviceFacts[], void> {
  const filter = await withinGroup(context.db, given, scopeOf(actor))
  const query = { ...filter, sort: sortOf(filter), order: 'asc', limit: pageSize } as const
  let cursor: string | null | undefined
  do {
    const page = await listDevices(context, actor, { ...query, ...(cursor && { cursor }) })
    // The list reads only the first matches of a search; a file has all of them.
    if (cursor === undefined && page.isTruncated && isSearched(filter))
      return yield* everyPageOf(context, actor, filter)
    yield page.items
    cursor = page.next
  } while (cursor)
}

/** Whether the list can stop at the first matches: of a text, or of two times. */
const isSearched = ({ q, seen, createdOn }: Filter) =>
  Boolean(q?.trim()) || (seen !== undefined && createdOn !== undefined)

async function* everyPageOf({ db, now }: MapleContext, actor: Actor, query: Filter) {
  const choice = await choiceOf(db, query, { scope: scopeOf(actor), now: now() })
  let after = ''
  for (;;) {
    const rows = await readEveryDevice(db, choice, { after, limit: pageSize })
    const last = rows.at(-1)
    if (!last) return
    after = last.id
    yield rows
  }
}

/** The order in which the list has all devices of a filter, and not only its first. */
function sortOf(filter: Filter): DeviceSort {
  const sorts = deviceSortsOf(filter)
  const wanted: DeviceSort =
    filter.createdOn !== undefined ? 'createdAt' : filter.seen !== undefined ? 'lastSeenAt' : 'id'
  return sorts.includes(wanted) ? wanted : (sorts[0] ?? 'id')
}

type TextField =
  | 'id'
  | 'name'
  | 'type'
  | 'state'
  | 'innerId'
  | 'serviceId'
  | 'service'
  | 'accountId'
  | 'account'
  | 'lastSeenAt'
  | 'createdAt'

const asText = (field: TextField) => ({
  csv: (device: NamedDevice) => device[field] ?? '',
  json: (device: NamedDevice) => device[field],
})

/** Columns that an import reads, and purely informative ones. */
const columns = {
  id: asText('id'),
  name: asText('name'),
  type: asText('type'),
  state: asText('state'),
  cplc: {
    csv: ({ elements }: DeviceFacts) => elements.map(({ cplc }) => cplc).join(';'),
    json: ({ elements }: DeviceFacts) => elements.map(({ cplc }) => cplc),
  },
  innerId: asText('innerId'),
  serviceId: asText('serviceId'),
  tags: { csv: ({ tags }: DeviceFacts) => tags.join(','), json: ({ tags }: DeviceFacts) => tags },
  attributes: {
    csv: ({ attributes }: DeviceFacts) =>
      Object.keys(attributes).length > 0 ? JSON.stringify(attributes) : '',
    json: ({ attributes }: DeviceFacts) => attributes,
  },
  service: asText('service'),
  accountId: asText('accountId'),
  account: asText('account'),
  lastSeenAt: asText('lastSeenAt'),
  createdAt: asText('createdAt'),
}
