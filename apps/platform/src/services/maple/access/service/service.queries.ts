import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { MapleService } from '@grove/contract/maple/access/service'
import type { QueryOf } from '@grove/contract/call'
import {
  serviceSearchLimit,
  serviceSorting,
  serviceUseLimit,
  type ServiceState,
} from '@grove/contract/maple/access/service.rules'
import { defineRecords } from '../../../../core/records/define-records.ts'
import { keysOfNames } from '../../../../core/database/words.ts'
import { nameKey } from '../../../../core/database/name-key.ts'
import type { MapleDb } from '../../base/tables.ts'

export const services = defineRecords<MapleService, QueryOf<Calls['GET /api/maple/service']>>({
  table: 'maple.service',
  columns: {
    id: 'text',
    name: { type: 'text', keyOf: nameKey },
    state: 'maple.service_state',
  },
  sorting: serviceSorting,
  filters: {
    id: (id) => sql`id = ${id}`,
    state: (state) => sql`state = ${state}::maple.service_state`,
    q: (text) => isFound(text.trim()),
  },
})

const isFound = (text: string) =>
  text === ''
    ? undefined
    : sql`id = ${keysOfNames({
        table: sql`maple.service`,
        text: nameKey(text),
        limit: serviceSearchLimit,
        others: { id: text.toLowerCase() },
      })}`

/** The state of a service, which cannot be deleted or suspended before the transaction ends. */
export async function holdService(tx: MapleDb, id: string): Promise<ServiceState | undefined> {
  const { rows } = await sql<{ state: ServiceState }>`
    select state from maple.service where id = ${id} for share
  `.execute(tx)
  return rows[0]?.state
}

export interface ServiceUse {
  devices: { value: number; isCapped: boolean }
  accounts: { value: number; isCapped: boolean }
}

/** How many devices and accounts a service has; undefined for one that does not exist. */
export async function countUse(db: MapleDb, id: string): Promise<ServiceUse | undefined> {
  const { rows } = await sql<{ devices: number; accounts: number }>`
    select (${counted('maple.device', id)}) as devices, (${counted('maple.account', id)}) as accounts
    from maple.service where id = ${id}
  `.execute(db)
  const [found] = rows
  return found && { devices: capped(found.devices), accounts: capped(found.accounts) }
}

/** By days of UTC from one on; a day without either is left out. */
export async function countByDay(db: MapleDb, id: string, from: string) {
  const start = sql`${from}::date::timestamp at time zone 'UTC'`
  const { rows } = await sql<{ day: string; devices: number; events: number }>`
    select to_char(day, 'YYYY-MM-DD') as day, sum(device)::int as devices, sum(event)::int as events
    from (
      select (created_at at time zone 'UTC')::date as day, 1 as device, 0 as event
      from maple.device where service_id = ${id} and created_at >= ${start}
      union all
      select (at at time zone 'UTC')::date, 0, 1
      from maple.event where service_id = ${id} and at >= ${start}
    ) as happened
    group by day
  `.execute(db)
  return new Map(rows.map(({ day, devices, events }) => [day, { devices, events }]))
}

const counted = (table: string, id: string) => sql`
  select count(*) from (
    select from ${sql.table(table)} where service_id = ${id} limit ${sql.lit(serviceUseLimit + 1)}
  ) as used`

const capped = (value: number) => ({
  value: Math.min(value, serviceUseLimit),
  isCapped: value > serviceUseLimit,
})
