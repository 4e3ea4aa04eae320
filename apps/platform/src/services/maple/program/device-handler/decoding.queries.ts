import { sql } from 'kysely'
import type { Decoding, DeviceHandlerFailure } from '@grove/contract/maple/program/device-handler'
import type { Decoded } from '@grove/contract/maple/program/device-handler.rules'
import type { MapleDb } from '../../base/tables.ts'

/** Service providers with waiting payloads, found by a loose index scan. */
export async function findWaiting(db: MapleDb, most: number): Promise<string[]> {
  const next = (than = sql``) => sql`
    select service_id from maple.device_decoding where state = 'waiting' ${than}
    order by service_id limit 1`
  const { rows } = await sql<{ serviceId: string }>`
    with recursive found as (
      (${next()})
      union all
      select (${next(sql`and service_id > found.service_id`)}) from found
      where found.service_id is not null
    )
    select service_id as "serviceId" from found where service_id is not null limit ${most}
  `.execute(db)
  return rows.map(({ serviceId }) => serviceId)
}

/** False while another process decodes for this service provider. */
export async function leaseDecoder(
  db: MapleDb,
  { serviceId, processId, seconds }: { serviceId: string; processId: string; seconds: number },
): Promise<boolean> {
  const { rows } = await sql`
    insert into maple.device_decoder as lease (service_id, process_id, until)
    values (${serviceId}, ${processId}, now() + make_interval(secs => ${seconds}))
    on conflict (service_id) do update
    set process_id = excluded.process_id, until = excluded.until
    where lease.process_id = excluded.process_id or lease.until < now()
    returning 1`.execute(db)
  return rows.length > 0
}

export const endLease = (
  db: MapleDb,
  { serviceId, processId }: { serviceId: string; processId: string },
) =>
  sql`
    delete from maple.device_decoder
    where service_id = ${serviceId} and process_id = ${processId}`.execute(db)

/** A payload that waits, with the handler that its product has now; null for none. */
export interface Waiting {
  messageId: number
  deviceId: string
  boot: string
  seq: number
  sentAt: number | null
  receivedAt: number
  data: { bytes: string; port?: number; topic?: string }
  handlerId: string | null
  version: number | null
}

/** The first waiting ones, in order of arrival. */
export async function readWaiting(
  db: MapleDb,
  serviceId: string,
  most: number,
): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    with first as materialized (
      select message_id from maple.device_decoding
      where state = 'waiting' and service_id = ${serviceId} order by message_id limit ${most}
    )
    select first.message_id::float8 as "messageId", decoding.device_id as "deviceId",
      message.boot, message.seq::float8 as seq, message.data,
      extract(epoch from message.sent_at)::float8 * 1000 as "sentAt",
      extract(epoch from message.received_at)::float8 * 1000 as "receivedAt",
      case when message.id is not null then handler.id end as "handlerId", handler.version
    from first
    join maple.device_decoding as decoding on decoding.message_id = first.message_id
    left join maple.device_message as message on message.id = first.message_id
    left join maple.device as device on device.id = decoding.device_id
      and coalesce(device.service_id, '') = decoding.service_id
    left join maple.product as product on product.id = device.product_id
    left join maple.device_handler as handler on handler.id = product.handler_id
      and handler.version is not null and handler.service_id is not distinct from device.service_id
    order by first.message_id`.execute(db)
  return rows
}

export async function findCode(
  db: MapleDb,
  { handlerId, version }: { handlerId: string; version: number },
): Promise<string | undefined> {
  const { rows } = await sql<{ code: string }>`
    select code from maple.device_handler_version
    where device_handler_id = ${handlerId} and number = ${version}`.execute(db)
  return rows[0]?.code
}

/** The outcome of a payload. */
export interface Done {
  messageId: number
  handlerId: string
  version: number
  value: Decoded | null
  error: DeviceHandlerFailure | null
}

/**
 * Stores the outcomes of payloads, for the process with the lease. @returns those that were still
 * waiting.
 */
export async function storeDone(
  tx: MapleDb,
  { serviceId, processId, done }: { serviceId: string; processId: string; done: readonly Done[] },
): Promise<Set<number>> {
  const { rows: held } = await sql`
    select from maple.device_decoder
    where service_id = ${serviceId} and process_id = ${processId} for update`.execute(tx)
  if (held.length === 0) return new Set()
  const { rows } = await sql<{ id: number }>`
    update maple.device_decoding as decoding
    set state = case when given.error is null then 'decoded' else 'failed' end,
      handler_id = given.handler_id, version = given.version, value = given.value::json,
      error = given.error::json, finished_at = now()
    from unnest(${done.map(({ messageId }) => messageId)}::bigint[],
      ${done.map(({ handlerId }) => handlerId)}::uuid[],
      ${done.map(({ version }) => version)}::int[],
      ${done.map(({ value }) => value && JSON.stringify(value))}::text[],
      ${done.map(({ error }) => error && JSON.stringify(error))}::text[])
      as given (message_id, handler_id, version, value, error)
    where decoding.message_id = given.message_id and decoding.state = 'waiting'
    returning decoding.message_id::float8 as id`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}

/** Payloads whose device no longer has a handler stay undecoded. */
export const dropWaiting = (db: MapleDb, ids: readonly number[]) =>
  sql`
    delete from maple.device_decoding
    where message_id = any(${ids}::bigint[]) and state = 'waiting'`.execute(db)

/** The outcome of a message’s payload, as a column; null if no handler decodes it. */
export const decodingOf = sql<Decoding | null>`
  case when kind = 'bytes' then (
    select json_build_object('state', decoding.state, 'handlerId', decoding.handler_id,
      'version', decoding.version, 'value', decoding.value, 'error', decoding.error)
    from maple.device_decoding as decoding where decoding.message_id = id) end`

/** Those of these messages that no longer wait. */
export async function findDone(
  db: MapleDb,
  ids: readonly number[],
): Promise<{ id: number; decoding: Decoding | null }[]> {
  const { rows } = await sql<{ id: number; decoding: Decoding | null }>`
    select id::float8 as id, ${decodingOf} as decoding
    from (select id, 'bytes' as kind from unnest(${ids}::bigint[]) as given (id)) as message
    where not exists (select from maple.device_decoding as waiting
      where waiting.message_id = id and waiting.state = 'waiting')
    order by id`.execute(db)
  return rows
}

/** Messages of a device that still wait, newest first. */
export async function findUndecoded(
  db: MapleDb,
  { deviceId, serviceId }: { deviceId: string; serviceId: string | null },
  { upTo, limit }: { upTo: number; limit: number },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select message_id::float8 as id from maple.device_decoding
    where state = 'waiting' and service_id = ${serviceId ?? ''} and device_id = ${deviceId}
      and message_id <= ${upTo}::bigint
    order by message_id desc limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Messages of a device with a payload, decoded or not, within these limits. */
export async function findPayloads(
  db: MapleDb,
  { deviceId }: { deviceId: string },
  { from, upTo, limit }: { from: number; upTo: number; limit: number },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id::float8 as id from maple.device_message
    where device_id = ${deviceId} and kind = 'bytes'
      and id between ${from}::bigint and ${upTo}::bigint
    order by id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}
