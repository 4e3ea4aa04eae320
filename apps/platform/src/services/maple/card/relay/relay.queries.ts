import { sql } from 'kysely'
import type { MapleDb } from '../../base/tables.ts'

export type RelayKind = 'reader' | 'device'

interface Place {
  id: string
  link: string
  kind: RelayKind
  askedBy: string
  sealedInput: string
}

/** Inserts a request for the process with the connection, and notifies it. */
export const insertExchange = (
  db: MapleDb,
  channel: string,
  given: Place & { processId: string },
): Promise<unknown> =>
  sql`
    with asked as (
      insert into maple.relayed_exchange (id, process_id, asked_by, link, kind, sealed_input)
      values (${given.id}, ${given.processId}, ${given.askedBy}, ${given.link}, ${given.kind},
        ${given.sealedInput})
      returning process_id
    )
    select pg_notify(${channel}, 'take ' || process_id) from asked`.execute(db)

/** Takes what waits for a process, in order; each only once. */
export async function takeExchanges(db: MapleDb, processId: string): Promise<Place[]> {
  const { rows } = await sql<Place>`
    with taken as (
      update maple.relayed_exchange set taken_at = now()
      where process_id = ${processId} and taken_at is null
      returning id, link, kind, asked_by as "askedBy", sealed_input as "sealedInput", created_at
    )
    select * from taken order by created_at, id`.execute(db)
  return rows
}

export interface RelayedEnd {
  sealedReply: string | null
  failure: string | null
}

export const answerExchange = (
  db: MapleDb,
  channel: string,
  { id, sealedReply, failure }: RelayedEnd & { id: string },
): Promise<unknown> =>
  sql`
    with answered as (
      update maple.relayed_exchange set sealed_reply = ${sealedReply}, failure = ${failure}
      where id = ${id} returning id
    )
    select pg_notify(${channel}, 'done ' || id) from answered`.execute(db)

/** Deletes it and returns its end; undefined if it has not ended. */
export async function takeEnd(db: MapleDb, id: string): Promise<RelayedEnd | undefined> {
  const { rows } = await sql<RelayedEnd>`
    delete from maple.relayed_exchange
    where id = ${id} and (sealed_reply is not null or failure is not null)
    returning sealed_reply as "sealedReply", failure`.execute(db)
  return rows[0]
}

export const deleteExchanges = (db: MapleDb, ids: readonly string[]): Promise<unknown> =>
  sql`delete from maple.relayed_exchange where id = any(${ids}::uuid[])`.execute(db)

/** Deletes those that nothing waits for any more. */
export const deleteOldExchanges = (db: MapleDb): Promise<unknown> =>
  sql`delete from maple.relayed_exchange where created_at < now() - interval '10 minutes'`.execute(
    db,
  )

/** The live processes among these that run sessions. */
export async function livingProcesses(
  db: MapleDb,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from maple.session_process
    where id = any(${ids}::uuid[]) and alive_until > now()`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
