import { sql } from 'kysely'
import type { DeviceState } from '@grove/contract/maple/fleet/device.rules'
import { openDeviceSessions } from '../device-session/device-session.queries.ts'
import type { MapleDb } from '../../base/tables.ts'

/** The connecting device, by its secret or certificate only. */
export interface Identity {
  deviceId: string
  credentialId: string
  serviceId: string | null
  /** If it presented one instead of a secret; its id is then `credentialId`. */
  certificate?: { authorityId: string; serial: string }
  /** What had ended when it was looked up, as PostgreSQL writes a snapshot. */
  snapshot: string
}

/** SHA-256 of a secret, or its id if someone else has verified the secret. */
export type Proof = { hash: string } | { credentialId: string }

/** Closed: retired, or its service provider is suspended. */
type Known = Identity & { isClosed: boolean }

/** In the order of the proofs; null for a secret that no device has. */
export async function findIdentities(
  db: MapleDb,
  proofs: readonly Proof[],
): Promise<(Known | null)[]> {
  const hashes = proofs.map((each) => ('hash' in each ? each.hash : null))
  const ids = proofs.map((each) => ('credentialId' in each ? each.credentialId : null))
  const { rows } = await sql<Known & { place: number }>`
    select given.place::int as place, device.id as "deviceId", credential.id as "credentialId",
      device.service_id as "serviceId",
      device.state = 'retired' or coalesce(service.state = 'suspended', false) as "isClosed",
      pg_current_snapshot()::text as snapshot
    from unnest(${hashes}::text[], ${ids}::uuid[]) with ordinality as given (hash, id, place)
    cross join lateral (
      select id, device_id from maple.device_credential where secret_hash = given.hash
      union all
      select id, device_id from maple.device_credential where id = given.id
    ) as credential
    join maple.device as device on device.id = credential.device_id
    left join maple.service as service on service.id = device.service_id`.execute(db)
  const found = new Map(rows.map(({ place, ...known }) => [place, known]))
  return proofs.map((_, index) => found.get(index + 1) ?? null)
}

/** A device that sent hello. */
export interface Beginning extends Omit<Identity, 'snapshot'> {
  connectionId: string
  protocol: string
  ip: string
  boot: string
  agent: string | null
  firmware: string | null
  elements: readonly string[]
}

export interface Begun {
  /** The last message of this boot that is stored. */
  seq: number
  state: DeviceState
  /** It was connected to another process. */
  hasMoved: boolean
}

/** Boots per device whose position is remembered, so that a boot loop does not fill the table. */
const maxBoots = 8

/** The positions of boots, new ones from 0 on; those of the oldest boots are dropped. */
export async function openStreams(
  tx: MapleDb,
  given: readonly Pick<Beginning, 'deviceId' | 'boot'>[],
): Promise<readonly { deviceId: string; seq: number }[]> {
  const ids = given.map(({ deviceId }) => deviceId)
  const { rows } = await sql<{ deviceId: string; seq: number }>`
    insert into maple.device_stream as stream (device_id, boot)
    select distinct device_id, boot
    from unnest(${ids}::text[], ${given.map(({ boot }) => boot)}::text[]) as given (device_id, boot)
    where exists (select from maple.device where id = device_id)
    order by device_id, boot
    on conflict (device_id, boot) do update set seq = stream.seq
    returning device_id as "deviceId", seq::float8 as seq`.execute(tx)
  await sql`
    delete from maple.device_stream as stream using (
      select device_id, boot,
        row_number() over (partition by device_id order by started_at desc, boot) as place
      from maple.device_stream where device_id = any(${ids}::text[])
    ) as known
    where known.place > ${sql.lit(maxBoots)} and stream.device_id = known.device_id
      and stream.boot = known.boot`.execute(tx)
  return rows
}

/** Marks devices as connected here, in one transaction; undefined for a deleted one. */
export function beginConnections(
  db: MapleDb,
  gatewayId: string,
  given: readonly Beginning[],
): Promise<(Begun | undefined)[]> {
  const named = [...new Set(given.map(({ deviceId }) => deviceId))].toSorted()
  return db.transaction().execute(async (tx) => {
    // First, and in one order: others who change several devices wait instead of blocking us.
    const { rows: held } = await sql<{
      id: string
      state: DeviceState
      serviceId: string | null
      isProven: boolean
    }>`
      select id, state, service_id as "serviceId", proven_at is not null as "isProven"
      from maple.device where id = any(${named}::text[]) order by id for update`.execute(tx)
    const states = new Map(held.map(({ id, state }) => [id, state]))
    const owners = new Map(held.map(({ id, serviceId }) => [id, serviceId]))
    // Since its secret was looked up, the id may have become another owner's device.
    const isOwn = ({ deviceId, serviceId }: Beginning) => owners.get(deviceId) === serviceId
    // Of two concurrent connections of one device, the later one wins.
    const last = new Map(given.filter(isOwn).map((each) => [each.deviceId, each]))
    const all = [...last.values()].toSorted((a, b) => (a.deviceId < b.deviceId ? -1 : 1))
    const ids = all.map(({ deviceId }) => deviceId)
    const unproven = held
      .filter(({ id, isProven }) => !isProven && last.has(id))
      .map(({ id }) => id)
    if (unproven.length > 0)
      await sql`
        update maple.device set proven_at = now() where id = any(${unproven}::text[])`.execute(tx)
    await sql`
      update maple.device set state = 'online', last_seen_at = now()
      where id = any(${ids}::text[]) and state in ('accepted', 'offline')`.execute(tx)
    const { rows: moved } = await sql<{ id: string }>`
      select device_id as id from maple.device_presence
      where device_id = any(${ids}::text[]) and gateway_id <> ${gatewayId}::uuid`.execute(tx)
    const hasMoved = new Set(moved.map(({ id }) => id))
    await sql`
      insert into maple.device_presence as presence (device_id, gateway_id, connection_id,
        connected_at, seen_at, protocol, ip, agent, firmware)
      select device_id, ${gatewayId}::uuid, connection_id, now(), now(), protocol, ip, agent, firmware
      from unnest(${ids}::text[], ${all.map(({ connectionId }) => connectionId)}::uuid[],
        ${all.map(({ protocol }) => protocol)}::text[], ${all.map(({ ip }) => ip)}::text[],
        ${all.map(({ agent }) => agent)}::text[], ${all.map(({ firmware }) => firmware)}::text[])
        as given (device_id, connection_id, protocol, ip, agent, firmware)
      where exists (select from maple.device where id = device_id)
      order by device_id
      on conflict (device_id) do update set gateway_id = excluded.gateway_id,
        connection_id = excluded.connection_id, connected_at = excluded.connected_at,
        seen_at = excluded.seen_at, protocol = excluded.protocol, ip = excluded.ip,
        agent = excluded.agent, firmware = excluded.firmware, messages = 0`.execute(tx)
    await storeOffers(tx, all)
    await openDeviceSessions(tx, gatewayId, all)
    await sql`
      update maple.device_credential set used_at = now()
      where id = any(${all.map(({ credentialId }) => credentialId)}::uuid[]) and used_at is null
    `.execute(tx)
    const streams = await openStreams(tx, all)
    const places = new Map(streams.map(({ deviceId, seq }) => [deviceId, seq]))
    return given.map((each) => {
      const { deviceId } = each
      const state = isOwn(each) ? states.get(deviceId) : undefined
      return state && { state, seq: places.get(deviceId) ?? 0, hasMoved: hasMoved.has(deviceId) }
    })
  })
}

/** The elements that a device offers over a connection. */
export type Offer = Pick<Beginning, 'deviceId' | 'connectionId' | 'elements'>

/**
 * For devices whose connection is still this one; most offer the same as before, which writes
 * nothing.
 */
export async function storeOffers(db: MapleDb, given: readonly Offer[]): Promise<void> {
  const all = [...new Map(given.map((each) => [each.deviceId, each])).values()]
  await sql`
    insert into maple.device_offer (device_id, elements)
    select presence.device_id, string_to_array(given.elements, ' ')
    from unnest(${all.map(({ deviceId }) => deviceId)}::text[],
      ${all.map(({ connectionId }) => connectionId)}::uuid[],
      ${all.map(({ elements }) => elements.join(' '))}::text[])
      as given (device_id, connection_id, elements)
    join maple.device_presence as presence
      on presence.device_id = given.device_id and presence.connection_id = given.connection_id
    left join maple.device_offer as known on known.device_id = given.device_id
    where coalesce(known.elements, '{}') <> string_to_array(given.elements, ' ')
    order by presence.device_id
    on conflict (device_id) do update set elements = excluded.elements`.execute(db)
}

/** A connection, and when its device was last heard, in milliseconds since 1970. */
export interface Seen {
  deviceId: string
  connectionId: string
  seenAt: number
  /** The number stored over it. */
  messages: number
}

const seenRows = (all: readonly Seen[]) => sql`
  unnest(${all.map(({ deviceId }) => deviceId)}::text[],
    ${all.map(({ connectionId }) => connectionId)}::uuid[],
    ${all.map(({ seenAt }) => seenAt / 1000)}::float8[],
    ${all.map(({ messages }) => messages)}::bigint[])
  as given (device_id, connection_id, seen_at, messages)`

const inOrder = (all: readonly Seen[]) => all.toSorted((a, b) => (a.deviceId < b.deviceId ? -1 : 1))

/**
 * Writes to rows beside the devices, and returns the ids of those whose connection is still this one.
 */
export async function touchPresence(db: MapleDb, all: readonly Seen[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update maple.device_presence as presence
    set seen_at = greatest(presence.seen_at, to_timestamp(given.seen_at)),
      messages = given.messages
    from ${seenRows(inOrder(all))}
    where presence.device_id = given.device_id and presence.connection_id = given.connection_id
    returning presence.device_id as id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Devices that left, unless they have reconnected. */
export async function endConnections(db: MapleDb, all: readonly Seen[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const ids = inOrder(all).map(({ deviceId }) => deviceId)
    await sql`
      select 1 from maple.device where id = any(${ids}::text[]) order by id for update`.execute(tx)
    await sql`
      with gone as (
        update maple.device_presence as presence
        set gateway_id = null, seen_at = greatest(presence.seen_at, to_timestamp(given.seen_at))
        from ${seenRows(all)}
        where presence.device_id = given.device_id and presence.connection_id = given.connection_id
        returning presence.device_id, presence.seen_at
      )
      update maple.device as device
      set state = case when device.state = 'online' then 'offline' else device.state end,
        last_seen_at = greatest(device.last_seen_at, gone.seen_at)
      from gone where device.id = gone.device_id`.execute(tx)
  })
}

/** Heartbeat of this process. */
export async function renewGateway(db: MapleDb, gatewayId: string): Promise<void> {
  await sql`
    insert into maple.gateway (id) values (${gatewayId})
    on conflict (id) do update set seen_at = now()`.execute(db)
}

/** How many connections a process has of each service provider; of none, with an empty id. */
export type Load = Record<string, number>

/** Writes the number of this process's connections, and its heartbeat. */
export async function storeLoad(db: MapleDb, gatewayId: string, load: Load): Promise<void> {
  await sql`
    insert into maple.gateway (id, load) values (${gatewayId}, ${JSON.stringify(load)}::jsonb)
    on conflict (id) do update set load = excluded.load, seen_at = now()`.execute(db)
}

/** The connections of all other processes that are there, by service provider. */
export async function loadOfOthers(
  db: MapleDb,
  gatewayId: string,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ id: string; count: number }>`
    select each.key as id, sum(each.value::int)::int as count
    from maple.gateway as gateway cross join lateral jsonb_each_text(gateway.load) as each
    where gateway.id <> ${gatewayId} and gateway.seen_at > now() - interval '45 seconds'
    group by each.key`.execute(db)
  return new Map(rows.map(({ id, count }) => [id, count]))
}

/** Its devices belong to nobody until they connect elsewhere, or the resulting storm is over. */
export async function leaveGateway(db: MapleDb, gatewayId: string): Promise<void> {
  await sql`
    update maple.gateway set seen_at = least(seen_at, now() - interval '45 seconds')
    where id = ${gatewayId}`.execute(db)
}

/** Gateways dead for longer than their devices need to connect elsewhere. */
export async function findLostGateways(db: MapleDb): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from maple.gateway where seen_at < now() - interval '75 seconds'`.execute(db)
  return rows.map(({ id }) => id)
}

export async function connectionsOf(
  db: MapleDb,
  gatewayId: string,
  limit: number,
): Promise<Seen[]> {
  const { rows } = await sql<Seen>`
    select device_id as "deviceId", connection_id as "connectionId",
      extract(epoch from seen_at)::float8 * 1000 as "seenAt", messages::float8 as messages
    from maple.device_presence where gateway_id = ${gatewayId} limit ${limit}`.execute(db)
  return rows
}

export async function deleteGateway(db: MapleDb, gatewayId: string): Promise<void> {
  await sql`delete from maple.gateway where id = ${gatewayId}`.execute(db)
}

export interface Notice {
  /** The transaction that changed something. */
  xact: string
  deviceId: string | null
  serviceId: string | null
  /** All devices with certificates of an authority, or with one of them. */
  authorityId: string | null
  serial: string | null
}

/** Those of the last half minute: the database ends longer transactions. */
export async function recentNotices(db: MapleDb): Promise<Notice[]> {
  const { rows } = await sql<Notice>`
    select xact::text as xact, device_id as "deviceId", service_id as "serviceId",
      authority_id as "authorityId", serial
    from maple.device_notice where at > now() - interval '35 seconds'`.execute(db)
  return rows
}

/** Whether a transaction had ended when a snapshot was taken. */
export function endedBefore(snapshot: string, xact: string): boolean {
  const [xmin = '', xmax = '', running = ''] = snapshot.split(':')
  const number = BigInt(xact)
  return number < BigInt(xmin) || (number < BigInt(xmax) && !running.split(',').includes(xact))
}

export async function deleteOldNotices(db: MapleDb): Promise<void> {
  await sql`delete from maple.device_notice where at < now() - interval '1 hour'`.execute(db)
}

interface Place {
  deviceId: string
  /** Null if unknown. */
  gatewayId: string | null
  /** The process of that gateway accepts sessions opened by others. */
  runsSessions: boolean
}

/** The device that has an element, and where it is connected. */
export async function findDeviceOf(db: MapleDb, cplc: string): Promise<Place | undefined> {
  const { rows } = await sql<Place>`
    select device.id as "deviceId", gateway.id as "gatewayId", exists (
      select from maple.session_process as process
      where process.id = gateway.id and process.alive_until > now()
    ) as "runsSessions"
    from maple.element as element
    join maple.device as device on device.id = element.device_id
    left join maple.device_presence as presence on presence.device_id = device.id
    left join maple.gateway as gateway on gateway.id = presence.gateway_id
      and gateway.seen_at > now() - interval '45 seconds'
    where element.cplc = ${cplc} and device.state = 'online'`.execute(db)
  return rows[0]
}
