import { sql } from 'kysely'
import type { Refused, StoredMessage } from '@grove/device-protocol/message'
import { storeResults, type GivenResult } from '../device-command/device-command.queries.ts'
import { storeReports } from '../device-twin/device-twin.queries.ts'
import type { MapleDb } from '../../base/tables.ts'
import { hourOf, isLate } from '../telemetry/telemetry-hour.queries.ts'
import { isOff, momentOf, numbersOf, type ReadingClock } from '../telemetry/telemetry.rules.ts'
import type { TelemetryStore } from '../telemetry/telemetry-store.ts'
import { openStreams } from './gateway.queries.ts'
import { isIn, missingAfter, type Range } from './missing-places.ts'

/** Messages and their effects are in the database, data points in the telemetry store. */
interface Stores {
  db: MapleDb
  telemetry: TelemetryStore
}

/** A message, or the place of one that is refused. */
export interface Given<Message = StoredMessage | Refused> {
  deviceId: string
  message: Message
  /** It came before the hello of its connection. */
  isEarly?: boolean
  /** The command whose result is refused. */
  command?: string
  /** The time of arrival in milliseconds since 1970, unless it is stored immediately. */
  at?: number
}
export type GivenMessage = Given<StoredMessage>

const isMessage = (given: Given): given is GivenMessage => given.message.t !== 'refused'

/** The clock at a message's arrival, against which its own time is checked. */
export const arrivalOf = ({ at }: Given, clock: ReadingClock): ReadingClock =>
  at === undefined ? clock : { ...clock, now: at }

interface Stream {
  deviceId: string
  boot: string
  /** The highest position stored before, and the positions below it that never arrived. */
  before: number
  missing: Range[]
  places: Set<number>
  /** The highest place that was refused now, and why. */
  passed: number
  refusal: string | null
}

/**
 * Stores messages once each, with their effects: telemetry points, command results, states. A message
 * at or below the position of its boot was stored before, unless it is known to be missing. Returns
 * for each whether its boot is known; if not, its position was dropped. For an early one: whether
 * people have accepted its device. The positions of refused ones count as lost, and a command whose
 * result is refused has failed.
 */
export async function storeMessages(
  { db, telemetry }: Stores,
  given: readonly Given[],
  clock: ReadingClock,
): Promise<boolean[]> {
  const isHeld = await openEarly(
    db,
    given.filter(({ isEarly = false }) => isEarly),
  )
  return db.transaction().execute(async (tx) => {
    const streams = await lockStreams(tx, given)
    const fresh: GivenMessage[] = []
    const failed: GivenResult[] = []
    const isKnown = given.map((each) => {
      const stream = streams.get(keyOf(each.deviceId, each.message.boot))
      if (!stream || (each.isEarly === true && isHeld.has(each.deviceId))) return false
      const { seq } = each.message
      if (each.message.t === 'refused') {
        if (seq <= Math.max(stream.before, stream.passed)) return true
        stream.passed = seq
        stream.refusal = each.message.error
        failed.push(...failureOf(each, each.message.error))
        return true
      }
      const isNew = seq > stream.before || isIn(stream.missing, seq)
      if (isNew && !stream.places.has(seq) && isMessage(each)) {
        stream.places.add(seq)
        fresh.push(each)
      }
      return true
    })
    const changed = [...streams.values()].filter(
      ({ places, passed, before }) => places.size > 0 || passed > before,
    )
    if (changed.length > 0) {
      await insertMessages(tx, fresh, changed, clock)
      await storeMeaning({ db: tx, telemetry }, fresh, clock, failed)
    }
    return isKnown
  })
}

/**
 * Stores the effects of messages: command results, states, telemetry points. The days that the clock
 * allows have their partitions. Points come last: in a separate store they stay if this fails, and
 * are stored again when the device repeats them, which changes nothing for points with a time of
 * their own.
 */
export async function storeMeaning(
  { db: tx, telemetry }: Stores,
  fresh: readonly GivenMessage[],
  clock: ReadingClock,
  failed: readonly GivenResult[] = [],
): Promise<void> {
  const results = [...resultsOf(fresh), ...failed]
  if (results.length > 0) await storeResults(tx, results)
  const reports = reportsOf(fresh)
  if (reports.length > 0) await storeReports(tx, reports)
  await insertPoints(telemetry.of(tx), fresh, clock)
}

const keyOf = (deviceId: string, boot: string) => `${deviceId} ${boot}`

/**
 * What a library resends before its program sends hello may belong to a boot whose hello never
 * arrived. Returns the devices that people have not accepted, of which nothing is stored.
 */
async function openEarly(db: MapleDb, early: readonly Given[]): Promise<ReadonlySet<string>> {
  const isHeld = await findHeld(db, early)
  await openBoots(
    db,
    early.filter(({ deviceId }) => !isHeld.has(deviceId)),
  )
  return isHeld
}

/** Those of the devices that people have not accepted. */
export async function findHeld(db: MapleDb, given: readonly Given[]): Promise<ReadonlySet<string>> {
  if (given.length === 0) return new Set()
  const ids = [...new Set(given.map(({ deviceId }) => deviceId))]
  const { rows } = await sql<{ id: string }>`
    select id from maple.device
    where id = any(${ids}::text[]) and state in ('pending', 'quarantined')`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Opens the boots of messages that are stored without their hello. */
export async function openBoots(db: MapleDb, given: readonly Given[]): Promise<void> {
  if (given.length === 0) return
  const boots = given.map(({ deviceId, message }) => ({ deviceId, boot: message.boot }))
  await db.transaction().execute((tx) => openStreams(tx, boots))
}

/** The positions of boots, locked, so that nothing is stored twice. */
async function lockStreams(tx: MapleDb, given: readonly Given[]): Promise<Map<string, Stream>> {
  const ids = [...new Set(given.map(({ deviceId }) => deviceId))].toSorted()
  const { rows } = await sql<Omit<Stream, 'places' | 'passed' | 'refusal'>>`
    select device_id as "deviceId", boot, seq::float8 as before, missing from maple.device_stream
    where device_id = any(${ids}::text[]) order by device_id, boot for update`.execute(tx)
  return new Map(
    rows.map((row) => [
      keyOf(row.deviceId, row.boot),
      { ...row, places: new Set<number>(), passed: 0, refusal: null },
    ]),
  )
}

async function insertMessages(
  tx: MapleDb,
  fresh: readonly GivenMessage[],
  streams: readonly Stream[],
  clock: ReadingClock,
): Promise<void> {
  const changed = streams.map(({ places, passed, before, missing, ...stream }) => {
    const seq = Math.max(before, passed, ...places)
    return {
      ...stream,
      seq,
      lost: seq - before - places.size,
      missing: JSON.stringify(missingAfter({ before, missing, passed }, places)),
    }
  })
  await sql`
    with stored as (
      insert into maple.device_message (device_id, kind, boot, seq, sent_at, is_clock_off, data,
        received_at)
      select device_id, kind, boot, seq, to_timestamp(sent_at), is_clock_off, data::json,
        coalesce(to_timestamp(received_at), now())
      from unnest(
        ${fresh.map(({ deviceId }) => deviceId)}::text[],
        ${fresh.map(({ message }) => message.t)}::text[],
        ${fresh.map(({ message }) => message.boot)}::text[],
        ${fresh.map(({ message }) => message.seq)}::bigint[],
        ${fresh.map(({ message }) => secondsOf(message))}::float8[],
        ${fresh.map((each) => isClockOff(each, clock))}::boolean[],
        ${fresh.map(({ message }) => JSON.stringify(dataOf(message)))}::text[],
        ${fresh.map(({ at }) => (at === undefined ? null : at / 1000))}::float8[]
      ) as given (device_id, kind, boot, seq, sent_at, is_clock_off, data, received_at)
      returning id, device_id, kind
    )${fresh.some(({ message }) => message.t === 'bytes') ? sql`, ${queuePayloads}` : sql``}
    update maple.device_stream as stream
    set seq = news.seq, lost = stream.lost + news.lost, missing = news.missing::jsonb,
      refusal = coalesce(news.refusal, stream.refusal),
      refused_at = case when news.refusal is null then stream.refused_at else now() end
    from unnest(
      ${changed.map(({ deviceId }) => deviceId)}::text[], ${changed.map(({ boot }) => boot)}::text[],
      ${changed.map(({ seq }) => seq)}::bigint[], ${changed.map(({ lost }) => lost)}::bigint[],
      ${changed.map(({ missing }) => missing)}::text[],
      ${changed.map(({ refusal }) => refusal)}::text[]
    ) as news (device_id, boot, seq, lost, missing, refusal)
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

const isClockOff = (given: GivenMessage, clock: ReadingClock): boolean =>
  given.message.ts !== undefined && isOff(given.message.ts, arrivalOf(given, clock))

const secondsOf = ({ ts }: StoredMessage) => (ts === undefined ? null : ts / 1000)

/** A message as a device's log shows it. */
function dataOf(message: StoredMessage): unknown {
  if (message.t === 'bytes') {
    const { d: bytes, port, topic } = message
    return { bytes, ...(port !== undefined && { port }), ...(topic !== undefined && { topic }) }
  }
  if (message.t !== 'result') return message.d
  const { id, ok, d, error } = message
  return { id, ok, ...(d !== undefined && { d }), ...(error !== undefined && { error }) }
}

/**
 * An implausible time is stored separately. Simultaneous messages differ by microseconds, which
 * devices do not send.
 */
async function insertPoints(
  db: MapleDb,
  fresh: readonly GivenMessage[],
  clock: ReadingClock,
): Promise<void> {
  const ids: string[] = []
  const keys: string[] = []
  const values: number[] = []
  const moments: number[] = []
  const unbelieved: (number | null)[] = []
  const places: number[] = []
  for (const each of fresh) {
    const { deviceId, message } = each
    if (message.t !== 'telemetry') continue
    const moment = momentOf(message.ts, arrivalOf(each, clock)) / 1000
    const isWrong = isClockOff(each, clock)
    for (const { key, value } of numbersOf(message.d)) {
      ids.push(deviceId)
      keys.push(key)
      values.push(value)
      moments.push(moment)
      unbelieved.push(isWrong ? secondsOf(message) : null)
      places.push(message.seq % 1000)
    }
  }
  if (ids.length === 0) return
  await sql`
    with point as materialized (
      select device_id, key, value, place, to_timestamp(moment) as at,
        to_timestamp(sent_at) as sent_at
      from unnest(${ids}::text[], ${keys}::text[], ${values}::float8[], ${moments}::float8[],
        ${unbelieved}::float8[], ${places}::int[])
        as given (device_id, key, value, moment, sent_at, place)
    ), late as (
      insert into maple.telemetry_late (device_id, hour)
      select distinct device_id, ${hourOf(sql`at`)} from point where ${isLate(sql`at`)}
    )
    insert into maple.telemetry (device_id, key, ts, value, sent_at)
    select device_id, key, at + place * interval '1 microsecond', value, sent_at
    from point on conflict do nothing`.execute(db)
}

const commandId = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Nobody keeps waiting for a result that the device does not resend. */
const failureOf = ({ deviceId, command: id }: Given, error: string): GivenResult[] =>
  id === undefined || !commandId.test(id)
    ? []
    : [{ deviceId, id, isOk: false, data: null, error: `Its result was refused. ${error}` }]

function resultsOf(fresh: readonly GivenMessage[]) {
  return fresh.flatMap(({ deviceId, message }) => {
    // Our ids are UUIDs; with any other the device answers something of its own.
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

/** `text` accepts no null characters, and an unpaired surrogate becomes another character. */
const storable = (text: string | null) =>
  text === null ? null : text.replaceAll('\0', '').toWellFormed()

function reportsOf(fresh: readonly GivenMessage[]) {
  return fresh.flatMap(({ deviceId, message }) => {
    if (message.t !== 'reported') return []
    const { d: change, version, refused = {} } = message
    return [{ deviceId, change, version, refused }]
  })
}
