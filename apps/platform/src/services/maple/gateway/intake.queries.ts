import { sql } from 'kysely'
import type { StoredMessage } from '@grove/device-protocol/message'
import { clockHours } from '@grove/contract/maple/telemetry.rules'
import { storeResults } from '../device-command/device-command.queries.ts'
import { storeReports } from '../device-twin/device-twin.queries.ts'
import type { MapleDb } from '../tables.ts'
import { hourOf, isLate } from '../telemetry/telemetry-hour.queries.ts'
import { numbersOf } from '../telemetry/telemetry.rules.ts'

export interface GivenMessage {
  deviceId: string
  message: StoredMessage
}

interface Stream {
  deviceId: string
  boot: string
  /** The last place that was stored before. */
  before: number
  places: Set<number>
}

/**
 * Stores messages once each, with what they mean: points of telemetry, results of commands, states.
 * What is not above the place of its boot was stored before. Answers for each whether its boot is
 * known; the place of one that is not was forgotten.
 */
export function storeMessages(db: MapleDb, given: readonly GivenMessage[]): Promise<boolean[]> {
  return db.transaction().execute(async (tx) => {
    const streams = await lockStreams(tx, given)
    const fresh: GivenMessage[] = []
    const isKnown = given.map((each) => {
      const stream = streams.get(keyOf(each.deviceId, each.message.boot))
      if (!stream) return false
      const { seq } = each.message
      if (seq > stream.before && !stream.places.has(seq)) {
        stream.places.add(seq)
        fresh.push(each)
      }
      return true
    })
    if (fresh.length > 0) {
      await insertMessages(tx, fresh, [...streams.values()])
      await storeMeaning(tx, fresh)
    }
    return isKnown
  })
}

/** What messages mean: points of telemetry, results of commands, states. */
export async function storeMeaning(tx: MapleDb, fresh: readonly GivenMessage[]): Promise<void> {
  await insertPoints(tx, fresh)
  const results = resultsOf(fresh)
  if (results.length > 0) await storeResults(tx, results)
  const reports = reportsOf(fresh)
  if (reports.length > 0) await storeReports(tx, reports)
}

const keyOf = (deviceId: string, boot: string) => `${deviceId} ${boot}`

/** The places of boots, held, so that nothing is stored twice. */
async function lockStreams(
  tx: MapleDb,
  given: readonly GivenMessage[],
): Promise<Map<string, Stream>> {
  const ids = [...new Set(given.map(({ deviceId }) => deviceId))].toSorted()
  const { rows } = await sql<Omit<Stream, 'places'>>`
    select device_id as "deviceId", boot, seq::float8 as before from maple.device_stream
    where device_id = any(${ids}::text[]) order by device_id, boot for update`.execute(tx)
  return new Map(
    rows.map((row) => [keyOf(row.deviceId, row.boot), { ...row, places: new Set<number>() }]),
  )
}

async function insertMessages(
  tx: MapleDb,
  fresh: readonly GivenMessage[],
  streams: readonly Stream[],
): Promise<void> {
  const changed = streams
    .filter(({ places }) => places.size > 0)
    .map(({ places, before, ...stream }) => {
      const seq = Math.max(...places)
      return { ...stream, seq, lost: seq - before - places.size }
    })
  await sql`
    with stored as (
      insert into maple.device_message (device_id, kind, boot, seq, sent_at, data)
      select device_id, kind, boot, seq, to_timestamp(sent_at), data::json
      from unnest(
        ${fresh.map(({ deviceId }) => deviceId)}::text[],
        ${fresh.map(({ message }) => message.t)}::text[],
        ${fresh.map(({ message }) => message.boot)}::text[],
        ${fresh.map(({ message }) => message.seq)}::bigint[],
        ${fresh.map(({ message }) => secondsOf(message))}::float8[],
        ${fresh.map(({ message }) => JSON.stringify(dataOf(message)))}::text[]
      ) as given (device_id, kind, boot, seq, sent_at, data)
      returning id, device_id, kind
    )${fresh.some(({ message }) => message.t === 'bytes') ? sql`, ${queuePayloads}` : sql``}
    update maple.device_stream as stream set seq = news.seq, lost = stream.lost + news.lost
    from unnest(
      ${changed.map(({ deviceId }) => deviceId)}::text[], ${changed.map(({ boot }) => boot)}::text[],
      ${changed.map(({ seq }) => seq)}::bigint[], ${changed.map(({ lost }) => lost)}::bigint[]
    ) as news (device_id, boot, seq, lost)
    where stream.device_id = news.device_id and stream.boot = news.boot`.execute(tx)
}

/** A payload waits for the handler of its product, if that has one. */
const queuePayloads = sql`queued as (
  insert into maple.device_decoding (message_id, device_id, service_id)
  select stored.id, device.id, coalesce(device.service_id, '')
  from stored
  join maple.device as device on device.id = stored.device_id
  join maple.product as product on product.id = device.product_id
  join maple.device_handler as handler on handler.id = product.handler_id
    and handler.service_id is not distinct from device.service_id
  where stored.kind = 'bytes' and handler.version is not null
)`

const secondsOf = ({ ts }: StoredMessage) => (ts === undefined ? null : ts / 1000)

/** What the log of a device shows of a message. */
function dataOf(message: StoredMessage): unknown {
  if (message.t === 'bytes') {
    const { d: bytes, port, topic } = message
    return { bytes, ...(port !== undefined && { port }), ...(topic !== undefined && { topic }) }
  }
  if (message.t !== 'result') return message.d
  const { id, ok, d, error } = message
  return { id, ok, ...(d !== undefined && { d }), ...(error !== undefined && { error }) }
}

const clock = sql.lit(`${clockHours} hours`)

/**
 * A time that is further off than a clock may be becomes the nearest that may be, and is kept beside:
 * a batch has points of many devices, and one of a day without a partition would refuse them all.
 * Messages of one moment differ by microseconds, which no device sends.
 */
async function insertPoints(tx: MapleDb, fresh: readonly GivenMessage[]): Promise<void> {
  const ids: string[] = []
  const keys: string[] = []
  const values: number[] = []
  const times: (number | null)[] = []
  const places: number[] = []
  for (const { deviceId, message } of fresh) {
    if (message.t !== 'telemetry') continue
    for (const { key, value } of numbersOf(message.d)) {
      ids.push(deviceId)
      keys.push(key)
      values.push(value)
      times.push(secondsOf(message))
      places.push(message.seq % 1000)
    }
  }
  if (ids.length === 0) return
  await sql`
    with point as materialized (
      select device_id, key, value, place, to_timestamp(sent_at) as sent_at,
        least(greatest(coalesce(to_timestamp(sent_at), now()), now() - ${clock}::interval),
          now() + ${clock}::interval) as at
      from unnest(${ids}::text[], ${keys}::text[], ${values}::float8[], ${times}::float8[],
        ${places}::int[]) as given (device_id, key, value, sent_at, place)
    ), late as (
      insert into maple.telemetry_late (device_id, hour)
      select distinct device_id, ${hourOf(sql`at`)} from point where ${isLate(sql`at`)}
    )
    insert into maple.telemetry (device_id, key, ts, value, sent_at)
    select device_id, key, at + place * interval '1 microsecond', value,
      case when at <> sent_at then sent_at end
    from point on conflict do nothing`.execute(tx)
}

const commandId = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

function resultsOf(fresh: readonly GivenMessage[]) {
  return fresh.flatMap(({ deviceId, message }) => {
    // Ids of ours are UUIDs; with another one the device answers something of its own.
    if (message.t !== 'result' || !commandId.test(message.id)) return []
    const { id, ok: isOk, d, error = null } = message
    return [
      {
        deviceId,
        id,
        isOk,
        data: d === undefined ? null : JSON.stringify(d),
        error: storable(error),
      },
    ]
  })
}

/** `text` takes no null characters, and half a surrogate pair becomes another character. */
const storable = (text: string | null) =>
  text === null ? null : text.replaceAll('\0', '').toWellFormed()

function reportsOf(fresh: readonly GivenMessage[]) {
  return fresh.flatMap(({ deviceId, message }) => {
    if (message.t !== 'reported') return []
    const { d: change, version, refused = {} } = message
    return [{ deviceId, change, version, refused }]
  })
}
