import { sql } from 'kysely'
import type { ImportedDevice } from './device-import.service.ts'
import { nameKey } from '../../../../core/database/name-key.ts'
import type { MapleDb } from '../../base/tables.ts'

/** Adds many devices in one statement, skipping those whose id is taken. */
export async function insertDevices(
  db: MapleDb,
  devices: readonly ImportedDevice[],
): Promise<number> {
  const column = <K extends keyof ImportedDevice>(key: K) => devices.map((device) => device[key])
  const { numAffectedRows = 0n } = await sql`
    insert into maple.device
      (id, name, name_key, type, state, last_seen_at, created_at, updated_at, tags, attributes,
        inner_id, service_id)
    select id, name, name_key, type, state, coalesce(last_seen_at, '0001-01-01 00:00:00+00'),
      created_at, created_at, tags::text[], attributes, inner_id, service_id
    from unnest(
      ${column('id')}::text[], ${column('name')}::text[], ${column('name').map(nameKey)}::text[],
      ${column('type')}::maple.device_type[], ${column('state')}::maple.device_state[],
      ${column('lastSeenAt')}::timestamptz[], ${column('createdAt')}::timestamptz[],
      ${devices.map(({ tags = [] }) => `{${tags.map((tag) => JSON.stringify(tag)).join(',')}}`)}::text[],
      ${devices.map(({ attributes = {} }) => JSON.stringify(attributes))}::jsonb[],
      ${devices.map(({ innerId = null }) => innerId)}::text[],
      ${devices.map(({ serviceId = null }) => serviceId)}::text[]
    ) as given (id, name, name_key, type, state, last_seen_at, created_at, tags, attributes,
        inner_id, service_id)
    on conflict (id) do nothing
  `.execute(db)
  return Number(numAffectedRows)
}

/** Attaches the elements of imported devices, skipping known ones. */
export async function insertElements(
  db: MapleDb,
  devices: readonly ImportedDevice[],
): Promise<void> {
  const unread = { state: 'unknown', hasHsm: false } as const
  const elements = devices.flatMap(({ id, createdAt, cplc: list, chip = unread }) =>
    list.map((cplc) => ({ id, createdAt, cplc, ...chip })),
  )
  await sql`
    insert into maple.element (cplc, device_id, attached_at, created_at, state, has_hsm)
    select cplc, device_id, attached_at, attached_at, state, has_hsm
    from unnest(
      ${elements.map(({ cplc }) => cplc)}::text[], ${elements.map(({ id }) => id)}::text[],
      ${elements.map(({ createdAt }) => createdAt)}::timestamptz[],
      ${elements.map(({ state }) => state)}::maple.element_state[],
      ${elements.map(({ hasHsm }) => hasHsm)}::boolean[]
    ) as given (cplc, device_id, attached_at, state, has_hsm)
    on conflict (cplc) do nothing
  `.execute(db)
}

/** How many devices have an id in a range, both ends included. */
export async function countIdRange(db: MapleDb, first: string, last: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from maple.device where id between ${first} and ${last}
  `.execute(db)
  return rows[0]?.count ?? 0
}

/** After an import: index-only scans work once the pages are known to have no dead rows. */
export async function tidyTables(db: MapleDb): Promise<void> {
  await db.connection().execute(async (connection) => {
    await sql`set statement_timeout = 0`.execute(connection)
    await sql`vacuum (analyze) maple.device, maple.element, maple.tally`.execute(connection)
    await sql`reset statement_timeout`.execute(connection)
  })
}
