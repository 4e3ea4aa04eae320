import { sql } from 'kysely'
import type { Audience, Notification } from '@grove/contract/cedar/notification'
import { ofAudience } from '../push-device/push-device.queries.ts'
import type { Outcome } from '../push-transport/push-transport.ts'
import type { CedarDb } from '../tables.ts'

export interface DeliveryRow {
  id: string
  product_id: string
  provider_id: string
  state: Notification['state']
  translations: Notification['translations']
  audience: Audience
  link: string | null
  link_id: string | null
  expires_at: string | null
  tried_until: string | null
  devices: number | null
  sent: number
  failed: number
  batch: number
  batch_devices: string[] | null
  tried_through: string | null
  is_each_tried: boolean
  pauses: number
}

/** Locks the notification: one run at a time plans and finishes its batches. */
export async function lockDelivery(db: CedarDb, id: string): Promise<DeliveryRow | undefined> {
  const { rows } = await sql<DeliveryRow>`
    select n.id, n.product_id, n.provider_id, n.state, n.translations, n.audience, n.link,
      (select link_id from cedar.product p where p.id = n.product_id) as link_id,
      n.expires_at, n.tried_until, n.devices, n.sent, n.failed, n.batch, n.batch_devices,
      n.tried_through, n.is_each_tried, n.pauses
    from cedar.notification n where n.id = ${id} for update`.execute(db)
  return rows[0]
}

/** Sending starts: counts the current audience. `triedUntil` is when the rest is given up. */
export async function startDelivery(
  db: CedarDb,
  { id, product_id: productId, audience }: DeliveryRow,
  { transport, triedUntil }: { transport: string; triedUntil: string },
): Promise<void> {
  await sql`
    update cedar.notification set state = 'sending', started_at = coalesce(started_at, now()),
      tried_until = ${triedUntil}::timestamptz, transport = ${transport}, devices = coalesce(devices, (
        select count(*)::integer from cedar.push_device d where ${ofAudience(productId, audience)}))
    where id = ${id}`.execute(db)
}

export const endDelivery = (
  db: CedarDb,
  id: string,
  state: Notification['state'],
  reason: string | null = null,
) =>
  db
    .updateTable('cedar.notification')
    .set({ state, reason, finished_at: sql<string>`now()`, batch_devices: null })
    .where('id', '=', id)
    .execute()

/** The next devices of the audience, among those registered when sending started. */
export async function nextDevices(db: CedarDb, row: DeliveryRow, limit: number): Promise<string[]> {
  const after = row.tried_through
  const { rows } = await sql<{ id: string }>`
    select d.id from cedar.push_device d
    where ${ofAudience(row.product_id, row.audience)}
      and ${after === null ? sql`true` : sql`d.id > ${after}::uuid`}
      and d.registered_at <= (select started_at from cedar.notification where id = ${row.id})
    order by d.id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

export async function dueRetries(
  db: CedarDb,
  id: string,
  now: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ device_id: string }>`
    select device_id from cedar.notification_retry
    where notification_id = ${id} and due_at <= ${now}::timestamptz
    order by device_id limit ${limit}`.execute(db)
  return rows.map((row) => row.device_id)
}

/** When the next message is retried; null if none is. */
export async function nextRetryAt(db: CedarDb, id: string): Promise<string | null> {
  const { rows } = await sql<{ at: string | null }>`
    select min(due_at) as at from cedar.notification_retry
    where notification_id = ${id}`.execute(db)
  return rows[0]?.at ?? null
}

interface Planned {
  devices: readonly string[]
  /** The last device read from the audience; unchanged by a batch of retries. */
  triedThrough?: string | undefined
  isEachTried?: boolean
}

/** Stores a batch before it is sent, so that it is the same after a kill. */
export const planBatch = (
  db: CedarDb,
  id: string,
  { devices, triedThrough, isEachTried }: Planned,
): Promise<unknown> =>
  sql`
  update cedar.notification set batch_devices = ${devices}::uuid[],
    tried_through = coalesce(${triedThrough ?? null}::uuid, tried_through),
    is_each_tried = is_each_tried or ${isEachTried ?? false}
  where id = ${id}`.execute(db)

export interface BatchEnd {
  sent: number
  /** How many failed permanently, by reason. */
  failures: Readonly<Record<string, number>>
  isPause: boolean
}

/** Adds the outcome of a batch to the counters, and finishes it. */
export async function endBatch(db: CedarDb, id: string, end: BatchEnd): Promise<void> {
  const reasons = Object.keys(end.failures)
  const counts = Object.values(end.failures)
  const failed = counts.reduce((sum, count) => sum + count, 0)
  await sql`
    update cedar.notification n set batch = batch + 1, batch_devices = null,
      sent = sent + ${end.sent}, failed = failed + ${failed},
      pauses = case when ${end.isPause} then pauses + 1 when ${end.sent} > 0 then 0 else pauses end,
      failures = failures || coalesce((
        select jsonb_object_agg(f.reason, f.count + coalesce((n.failures ->> f.reason)::integer, 0))
        from unnest(${reasons}::text[], ${counts}::integer[]) as f (reason, count)), '{}')
    where id = ${id}`.execute(db)
}

export interface Retry {
  deviceId: string
  reason: string
  dueAt: string
  /** It was tried, and did not merely wait for its turn. */
  isTried: boolean
}

/** Returns those that reached the limit of attempts and are dropped. */
export async function keepRetries(
  db: CedarDb,
  id: string,
  retries: readonly Retry[],
  maxTries: number,
): Promise<string[]> {
  if (retries.length === 0) return []
  await sql`
    insert into cedar.notification_retry as r (notification_id, device_id, tries, due_at, reason)
    select ${id}::uuid, * from unnest(${retries.map(({ deviceId }) => deviceId)}::uuid[],
      ${retries.map(({ isTried }) => Number(isTried))}::integer[],
      ${retries.map(({ dueAt }) => dueAt)}::timestamptz[],
      ${retries.map(({ reason }) => reason)}::text[])
    on conflict (notification_id, device_id) do update
    set tries = r.tries + excluded.tries, due_at = excluded.due_at, reason = excluded.reason`.execute(
    db,
  )
  const { rows } = await sql<{ reason: string }>`
    delete from cedar.notification_retry where notification_id = ${id} and tries >= ${maxTries}
    returning reason`.execute(db)
  return rows.map(({ reason }) => reason)
}

export const dropRetries = (db: CedarDb, id: string, deviceIds: readonly string[]) =>
  sql`delete from cedar.notification_retry
    where notification_id = ${id} and device_id = any(${deviceIds}::uuid[])`.execute(db)

/** Gives up pending retries; returns how many there were. */
export async function giveUpRetries(db: CedarDb, id: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    with gone as (delete from cedar.notification_retry where notification_id = ${id} returning 1)
    select count(*)::integer as n from gone`.execute(db)
  return rows[0]?.n ?? 0
}

export const deleteDead = (db: CedarDb, outcomes: readonly Outcome[]) =>
  sql`delete from cedar.push_device
    where id = any(${outcomes.map(({ deviceId }) => deviceId)}::uuid[])`.execute(db)

/** Notifications whose job has ended. */
export async function findStranded(db: CedarDb) {
  const { rows } = await sql<{ id: string; job: string | null }>`
    select n.id, j.state as job from cedar.notification n
    left join cedar.job j on j.id = n.job_id
    where n.state in ('scheduled', 'sending') and n.at < now()
      and coalesce(j.state, 'completed') in ('completed', 'failed', 'cancelled')
    limit 1000`.execute(db)
  return rows
}
