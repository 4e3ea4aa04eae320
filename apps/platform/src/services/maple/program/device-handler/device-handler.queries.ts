import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type {
  DeviceHandler,
  DeviceHandlerItem,
  DeviceHandlerTest,
} from '@grove/contract/maple/program/device-handler'
import type { QueryOf } from '@grove/contract/call'
import {
  deviceHandlerSorting,
  deviceHandlerVersionSorting,
  type DeviceHandlerState,
} from '@grove/contract/maple/program/device-handler.rules'
import { defineList, type ListPage } from '../../../../core/database/define-list.ts'
import { defineVersions } from '../../../../core/versions/define-versions.ts'
import { inScope, type Scope } from '../../../../core/scope.ts'
import { nameKey } from '../../base/name-key.ts'
import type { MapleDb } from '../../base/tables.ts'

/** The service provider that a caller sees; null for one who sees all. */
/** The stored data of a version. */
export interface HandlerContent {
  code: string
  tests: DeviceHandlerTest[]
}

/** A handler as it is stored; what may be done to it depends on the reader. */
export type HandlerItemRow = Omit<DeviceHandlerItem, 'rights'>
export type HandlerRow = Omit<DeviceHandler, 'rights'>

const hashOf = ({ code, tests }: HandlerContent): string =>
  createHash('sha256')
    .update(JSON.stringify([code, tests]))
    .digest('hex')

export const handlerVersions = defineVersions<HandlerContent>({
  table: 'maple.device_handler',
  content: { code: 'text', tests: 'json' },
  sorting: deviceHandlerVersionSorting,
  hash: hashOf,
})

const listed = sql`
  handler.id, handler.service_id as "serviceId", handler.name, handler.note, handler.state,
  handler.version, handler.draft_sha256 is distinct from handler.version_sha256 as "isChanged",
  handler.created_by as "createdBy", handler.revision, handler.created_at as "createdAt",
  handler.updated_at as "updatedAt"`

/** Products that a page names. */
const shownProducts = 50

const opened = sql`${listed}, handler.code, handler.tests, coalesce((
  select json_agg(json_build_object('id', product.id, 'name', product.name) order by product.name)
  from (select id, name from maple.product where handler_id = handler.id
    order by name_key limit ${sql.lit(shownProducts)}) as product), '[]') as products`

export const handlerList = defineList({
  name: 'maple.device_handler',
  sorts: { updatedAt: ['updated_at', 'timestamp'], name: ['name_key', 'text'] },
  sorting: deviceHandlerSorting,
  tiebreak: ['id', 'uuid'],
  filters: {
    id: (id) => sql`handler.id = ${id}`,
    state: (state: DeviceHandlerState) => sql`handler.state = ${state}`,
    q: (text) => {
      const from = nameKey(text.trim())
      if (from === '') return undefined
      return sql`handler.name_key >= ${from} and handler.name_key < ${`${from}\u{10FFFF}`}`
    },
  },
  keys: (row: HandlerItemRow, sort) => [
    sort === 'name' ? nameKey(row.name) : row.updatedAt,
    row.id,
  ],
  rows: (
    db: MapleDb,
    {
      where,
      orderBy,
      limit,
    }: ListPage<QueryOf<Calls['GET /api/maple/device_handlers']>, 'updatedAt' | 'name'>,
    scope: Scope,
  ) =>
    sql<HandlerItemRow>`
      select ${listed} from maple.device_handler as handler
      where ${inScope(scope, 'handler.service_id')} and ${where('handler')}
      order by ${orderBy('handler')} limit ${sql.lit(limit)}`.execute(db),
})

export async function findHandler(
  db: MapleDb,
  id: string,
  scope: Scope,
): Promise<HandlerRow | undefined> {
  const { rows } = await sql<HandlerRow>`
    select ${opened} from maple.device_handler as handler
    where handler.id = ${id} and ${inScope(scope, 'handler.service_id')}`.execute(db)
  return rows[0]
}

/** Locks the handler for the transaction. */
export async function lockHandler(db: MapleDb, id: string, scope: Scope) {
  await sql`select from maple.device_handler where id = ${id} for update`.execute(db)
  return findHandler(db, id, scope)
}

/** Waits for another that adds one, so that two do not pass the limit together. */
export async function countHandlers(db: MapleDb, serviceId: string | null): Promise<number> {
  await sql`
    select pg_advisory_xact_lock(hashtext(${`device handlers of ${serviceId ?? ''}`}))`.execute(db)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from maple.device_handler
    where service_id is not distinct from ${serviceId}`.execute(db)
  return rows[0]?.count ?? 0
}

type Values = Pick<HandlerRow, 'name' | 'note' | 'code' | 'tests'>

export async function insertHandler(
  db: MapleDb,
  { name, note, code, tests }: Values,
  { serviceId, createdBy }: { serviceId: string | null; createdBy: string },
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into maple.device_handler
      (service_id, name, name_key, note, code, tests, draft_sha256, created_by)
    values (${serviceId}, ${name}, ${nameKey(name)}, ${note}, ${code},
      ${JSON.stringify(tests)}::json, ${hashOf({ code, tests })}, ${createdBy})
    returning id`.execute(db)
  const [row] = rows
  if (!row) throw new Error('A device handler was not stored.')
  return row.id
}

export const changeHandler = (db: MapleDb, id: string, { name, note, code, tests }: Values) =>
  sql`
    update maple.device_handler set name = ${name}, name_key = ${nameKey(name)}, note = ${note},
      code = ${code}, tests = ${JSON.stringify(tests)}::json,
      draft_sha256 = ${hashOf({ code, tests })}, revision = revision + 1, updated_at = now()
    where id = ${id}`.execute(db)

export const deleteHandler = (db: MapleDb, id: string) =>
  sql`delete from maple.device_handler where id = ${id}`.execute(db)

/** What decodes for a device and encodes for it. */
export interface LiveHandler {
  serviceId: string | null
  code: string
}

/** The handler of the product of a device, if that has one that is published. */
export async function findLiveHandler(
  db: MapleDb,
  deviceId: string,
): Promise<LiveHandler | undefined> {
  const { rows } = await sql<LiveHandler>`
    select handler.service_id as "serviceId", live.code
    from maple.device as device
    join maple.product as product on product.id = device.product_id
    join maple.device_handler as handler on handler.id = product.handler_id
      and handler.service_id is not distinct from device.service_id
    join maple.device_handler_version as live
      on live.device_handler_id = handler.id and live.number = handler.version
    where device.id = ${deviceId}`.execute(db)
  return rows[0]
}
