import { sql } from 'kysely'
import type { Audience, Notification } from '@grove/contract/cedar/notification'
import { isVisible } from '../product/product.queries.ts'
import type { CedarDb } from '../tables.ts'

export interface NotificationRow {
  id: string
  product_id: string
  provider_id: string
  state: Notification['state']
  reason: string | null
  translations: Notification['translations']
  audience: Audience
  link: string | null
  at: string
  is_scheduled: boolean
  expires_at: string | null
  idempotency_key: string | null
  request_hash: string | null
  transport: string | null
  devices: number | null
  sent: number
  delivered: number
  opened: number
  failed: number
  failures: Record<string, number>
  created_by: string | null
  created_at: string
  started_at: string | null
  finished_at: string | null
  product_translations: Notification['productTranslations']
  icon_sha256: string | null
}

const withProduct = sql`
  n.id, n.product_id, n.provider_id, n.state, n.reason, n.translations, n.audience, n.link, n.at,
  n.is_scheduled, n.expires_at, n.idempotency_key, n.request_hash, n.transport, n.devices, n.sent,
  n.delivered, n.opened, n.failed, n.failures, n.created_by, n.created_at, n.started_at,
  n.finished_at, p.translations as product_translations, p.icon_sha256
  from cedar.notification n join cedar.product p on p.id = n.product_id`

/** The notification, if the user belongs to its provider; without a user, anyone's. */
export async function findNotification(
  db: CedarDb,
  id: string,
  userId: string | undefined,
): Promise<NotificationRow | undefined> {
  const { rows } = await sql<NotificationRow>`
    select ${withProduct}
    where n.id = ${id} and ${isVisible(sql.ref('n.provider_id'), userId)}`.execute(db)
  return rows[0]
}

/** The notifications of a page, in the order of the history. */
export async function findPage(db: CedarDb, ids: readonly string[]): Promise<NotificationRow[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<NotificationRow>`
    select ${withProduct} where n.id = any(${ids}::uuid[]) order by n.at desc, n.id desc`.execute(
    db,
  )
  return rows
}

export const findByKey = async (db: CedarDb, productId: string, key: string) =>
  db
    .selectFrom('cedar.notification')
    .select(['id', 'request_hash'])
    .where('product_id', '=', productId)
    .where('idempotency_key', '=', key)
    .executeTakeFirst()

export interface NewNotification {
  id: string
  productId: string
  providerId: string
  translations: Notification['translations']
  audience: Audience
  link: string | null
  at: string
  isScheduled: boolean
  expiresAt: string | null
  idempotencyKey: string | null
  requestHash: string | null
  createdBy: string
}

export const insertNotification = (db: CedarDb, given: NewNotification) =>
  db
    .insertInto('cedar.notification')
    .values({
      id: given.id,
      product_id: given.productId,
      provider_id: given.providerId,
      translations: JSON.stringify(given.translations),
      audience: JSON.stringify(given.audience),
      failures: '{}',
      link: given.link,
      at: given.at,
      is_scheduled: given.isScheduled,
      expires_at: given.expiresAt,
      idempotency_key: given.idempotencyKey,
      request_hash: given.requestHash,
      created_by: given.createdBy,
    })
    .execute()

export const setJob = (db: CedarDb, id: string, jobId: string | null) =>
  db.updateTable('cedar.notification').set({ job_id: jobId }).where('id', '=', id).execute()

/** False if it is being sent, or has ended. */
export async function cancelScheduled(db: CedarDb, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('cedar.notification')
    .set({ state: 'cancelled', finished_at: sql<string>`now()` })
    .where('id', '=', id)
    .where('state', '=', 'scheduled')
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Counts one notification for today; returns the number, or null at the limit. */
export async function takeQuota(
  db: CedarDb,
  providerId: string,
  limit: number,
): Promise<number | null> {
  const { rows } = await sql<{ used: number }>`
    insert into cedar.notification_quota as q (provider_id, day, used)
    select ${providerId}::uuid, (now() at time zone 'UTC')::date, 1 where ${limit}::integer > 0
    on conflict (provider_id, day) do update set used = q.used + 1
      where q.used < ${limit}::integer
    returning used`.execute(db)
  return rows[0]?.used ?? null
}

/** Today's notifications, and the provider's own limits. */
export async function readQuotas(db: CedarDb, providerIds: readonly string[]) {
  const { rows } = await sql<{ provider_id: string; used: number; own: number | null }>`
    select p.id as provider_id, coalesce(q.used, 0) as used,
      (p.limits ->> 'notificationsPerDay')::integer as own
    from cedar.provider p
    left join cedar.notification_quota q
      on q.provider_id = p.id and q.day = (now() at time zone 'UTC')::date
    where p.id = any(${providerIds}::uuid[]) order by p.is_default desc, p.id`.execute(db)
  return rows
}
