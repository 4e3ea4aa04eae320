import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import type { Reader } from '@grove/contract/maple/card/reader'
import { readerSearchLimit, readerSorting } from '@grove/contract/maple/card/reader.rules'
import { defineOwned } from '../../../../core/owned/define-owned.ts'
import { nameKey } from '../../../../core/database/name-key.ts'
import type { MapleDb } from '../../base/tables.ts'

/** Without a heartbeat for this long a process is dead, and so are its readers. */
export const goneAfter = sql.lit('45 seconds')

const isFresh = sql`(reader.process_id is not null and reader.seen_at > now() - ${goneAfter}::interval)`

export const {
  list: readerList,
  find: findReader,
  count: countReaders,
  delete: deleteReader,
} = defineOwned<Reader, QueryOf<Calls['GET /api/maple/reader']>>({
  table: 'maple.reader',
  columns: sql`
    reader.id, reader.name, reader.service_id as "serviceId",
    case when reader.key_hash is null then 'waiting' when ${isFresh} then 'connected' else 'away' end
      as state,
    reader.pcsc_name as "pcscName", reader.host,
    case when ${isFresh} then reader.connected_at end as "connectedAt",
    case when ${isFresh} then reader.atr end as atr,
    case when ${isFresh} then reader.cplc end as cplc,
    coalesce(${isFresh} and element.cplc is not null, false) as "isKnown",
    reader.added_by as "addedBy", reader.seen_at as "seenAt", reader.created_at as "createdAt"`,
  // Another service provider's element is treated as unknown.
  join: sql`
    left join maple.element as element
      on element.cplc = reader.cplc and element.service_id is not distinct from reader.service_id`,
  sorting: readerSorting,
  searchLimit: readerSearchLimit,
})

/** Expired unused codes; their readers are deleted with them. */
export async function deleteUnclaimed(db: MapleDb): Promise<void> {
  await sql`
    delete from maple.reader
    where key_hash is null and code_expires_at < now() - interval '1 day'`.execute(db)
}

export interface NewReader {
  id: string
  serviceId: string | null
  name: string
  addedBy: string | null
  codeHash: string
  minutes: number
}

export async function insertReader(
  db: MapleDb,
  reader: NewReader,
): Promise<{ codeExpiresAt: string }> {
  const { rows } = await sql<{ codeExpiresAt: string }>`
    insert into maple.reader (id, service_id, name, name_key, added_by, code_hash, code_expires_at)
    values (${reader.id}, ${reader.serviceId}, ${reader.name}, ${nameKey(reader.name)},
      ${reader.addedBy}, ${reader.codeHash}, now() + make_interval(mins => ${reader.minutes}::int))
    returning code_expires_at as "codeExpiresAt"`.execute(db)
  return { codeExpiresAt: rows[0]?.codeExpiresAt ?? '' }
}

/** Undefined for a code that is wrong, old or used. */
export async function claimReader(
  db: MapleDb,
  { codeHash, keyHash }: { codeHash: string; keyHash: string },
): Promise<{ id: string; name: string; addedBy: string | null } | undefined> {
  const { rows } = await sql<{ id: string; name: string; addedBy: string | null }>`
    update maple.reader set key_hash = ${keyHash}, code_hash = null, code_expires_at = null
    where code_hash = ${codeHash} and code_expires_at > now()
    returning id, name, added_by as "addedBy"`.execute(db)
  return rows[0]
}

/** The expiry of the person who added it; keys and people without a Maple account have none. */
const isOfSomebody = sql`not exists (select from maple.account as account
  where account.id = case when reader.added_by ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
      then reader.added_by::uuid end
    and account.expires_at <= now())`

/** Undefined unless the key belongs to a reader with an active service provider and account. */
export async function findByKey(
  db: MapleDb,
  keyHash: string,
): Promise<{ id: string; serviceId: string | null } | undefined> {
  const { rows } = await sql<{ id: string; serviceId: string | null }>`
    select reader.id, reader.service_id as "serviceId" from maple.reader as reader
    left join maple.service as service on service.id = reader.service_id
    where reader.key_hash = ${keyHash} and coalesce(service.state <> 'suspended', true)
      and ${isOfSomebody}`.execute(db)
  return rows[0]
}

interface At {
  id: string
  processId: string
}

/**
 * From here on the reader belongs to this process; an older connection elsewhere notices through
 * `touchReaders`.
 */
export async function setConnected(
  db: MapleDb,
  { id, processId, pcscName, host }: At & { pcscName: string; host: string | null },
): Promise<void> {
  await sql`
    update maple.reader
    set process_id = ${processId}, seen_at = now(), connected_at = now(), pcsc_name = ${pcscName},
      host = ${host}, atr = null, cplc = null
    where id = ${id}`.execute(db)
}

export async function setCard(
  db: MapleDb,
  { id, processId, atr, cplc }: At & { atr: string | null; cplc: string | null },
): Promise<void> {
  await sql`
    update maple.reader set atr = ${atr}, cplc = ${cplc}, seen_at = now()
    where id = ${id} and process_id = ${processId}`.execute(db)
}

/** Renews their connections, and returns those that still belong to this process. */
export async function touchReaders(
  db: MapleDb,
  { ids, processId }: { ids: readonly string[]; processId: string },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update maple.reader as reader set seen_at = now()
    where id = any(${ids}::uuid[]) and process_id = ${processId} and ${isOfSomebody}
    returning id`.execute(db)
  return rows.map(({ id }) => id)
}

export async function setAway(db: MapleDb, { id, processId }: At): Promise<void> {
  await sql`
    update maple.reader set process_id = null, atr = null, cplc = null, seen_at = now()
    where id = ${id} and process_id = ${processId}`.execute(db)
}

/** The reader that has an element: of the element's service provider, and with a live process. */
export async function findReaderOf(
  db: MapleDb,
  cplc: string,
): Promise<{ id: string; processId: string } | undefined> {
  const { rows } = await sql<{ id: string; processId: string }>`
    select reader.id, reader.process_id as "processId"
    from maple.reader as reader
    join maple.element as element
      on element.cplc = reader.cplc and element.service_id is not distinct from reader.service_id
    join maple.session_process as process
      on process.id = reader.process_id and process.alive_until > now()
    where reader.cplc = ${cplc} and ${isFresh}
    order by reader.seen_at desc limit 1`.execute(db)
  return rows[0]
}
