import { sql } from 'kysely'
import type { Audience } from '@grove/contract/cedar/notification'
import type { Calls } from '@grove/contract/calls'
import type { PushDevice } from '@grove/contract/cedar/push-device'
import type { QueryOf } from '@grove/contract/call'
import { notificationLimits } from '@grove/contract/cedar/notification.rules'
import { defineList, type ListPage } from '../../../core/database/define-list.ts'
import type { CedarDb } from '../tables.ts'

/** `1.10` → [1, 10, 0], which sorts like versions. */
export const versionNumbers = (version: string): number[] =>
  [...version.split('.').map(Number), 0, 0].slice(0, 3)

export interface NewDevice {
  productId: string
  token: string
  platform: PushDevice['platform']
  localeCode: PushDevice['localeCode']
  appVersion: string
}

/**
 * The id of the token's device, new or known; undefined if there is no such product, or, if required,
 * none of its versions was ever live.
 */
export async function upsertDevice(
  db: CedarDb,
  device: NewDevice,
  { isPublished }: { isPublished: boolean },
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    insert into cedar.push_device as d (product_id, token, platform, locale_code, app_version)
    select p.id, ${device.token}, ${device.platform}, ${device.localeCode},
      ${versionNumbers(device.appVersion)}::integer[]
    from cedar.product p where p.id = ${device.productId} and (not ${isPublished}::boolean or exists (
      select from cedar.product_version v where v.product_id = p.id and v.enabled_at is not null))
    on conflict (product_id, token) do update set platform = excluded.platform,
      locale_code = excluded.locale_code, app_version = excluded.app_version, seen_at = now()
    returning id`.execute(db)
  return rows[0]?.id
}

export const deleteDevice = (db: CedarDb, id: string) =>
  db.deleteFrom('cedar.push_device').where('id', '=', id).execute()

type DeviceQuery = QueryOf<Calls['GET /api/notification/device']>

const columns = sql`
  id, product_id as "productId", platform, locale_code as "localeCode",
  array_to_string(app_version, '.') as "appVersion", right(token, 6) as "tokenEnd",
  is_test as "isTest", name, registered_at as "registeredAt", seen_at as "seenAt"`

export const deviceList = defineList({
  name: 'push device',
  sorts: { registeredAt: ['registered_at', 'timestamp'] },
  sorting: { default: 'registeredAt', order: 'desc' },
  tiebreak: ['id', 'uuid'],
  filters: {
    productId: (id) => sql`product_id = ${id}`,
    isTest: (isTest) => sql`${isTest ? sql`` : sql`not`} is_test`,
  },
  keys: (row) => [row.registeredAt, row.id],
  rows: (db: CedarDb, { where, orderBy, limit }: ListPage<DeviceQuery, 'registeredAt'>) =>
    sql<PushDevice>`
      select ${columns} from cedar.push_device
      where ${where()} order by ${orderBy()} limit ${limit}`.execute(db),
})

export async function findDevice(db: CedarDb, id: string): Promise<PushDevice | undefined> {
  const { rows } = await sql<PushDevice>`
    select ${columns} from cedar.push_device where id = ${id}`.execute(db)
  return rows[0]
}

export const setTest = (db: CedarDb, id: string, isTest: boolean, name: string | null) =>
  db
    .updateTable('cedar.push_device')
    .set({ is_test: isTest, name: isTest ? name : null })
    .where('id', '=', id)
    .execute()

export async function countTestDevices(db: CedarDb, productId: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::integer as n from cedar.push_device
    where product_id = ${productId} and is_test`.execute(db)
  return rows[0]?.n ?? 0
}

/** The devices `d` of a product in an audience. */
export const ofAudience = (productId: string, audience: Audience) =>
  sql.join(
    [
      sql`d.product_id = ${productId}`,
      ...(audience.platforms ? [sql`d.platform = any(${audience.platforms}::text[])`] : []),
      ...(audience.locales ? [sql`d.locale_code = any(${audience.locales}::text[])`] : []),
      ...(audience.minAppVersion
        ? [sql`d.app_version >= ${versionNumbers(audience.minAppVersion)}::integer[]`]
        : []),
      ...(audience.maxAppVersion
        ? [sql`d.app_version <= ${versionNumbers(audience.maxAppVersion)}::integer[]`]
        : []),
      ...(audience.testDevices ? [sql`d.is_test`] : []),
    ],
    sql` and `,
  )

/** Counts no further than the limit: an estimate need not read a million rows. */
export async function countAudience(
  db: CedarDb,
  productId: string,
  audience: Audience,
): Promise<{ devices: number; isCapped: boolean }> {
  const most = notificationLimits.counted
  const { rows } = await sql<{ n: number }>`
    select count(*)::integer as n from (
      select from cedar.push_device d where ${ofAudience(productId, audience)} limit ${most + 1}
    ) as found`.execute(db)
  const n = rows[0]?.n ?? 0
  return { devices: Math.min(n, most), isCapped: n > most }
}

export interface TargetRow {
  id: string
  token: string
  platform: PushDevice['platform']
  locale_code: PushDevice['localeCode']
  name: string | null
}

const target = sql`d.id, d.token, d.platform, d.locale_code, d.name`

export async function findTestDevices(db: CedarDb, productId: string): Promise<TargetRow[]> {
  const { rows } = await sql<TargetRow>`
    select ${target} from cedar.push_device d where d.product_id = ${productId} and d.is_test
    order by d.registered_at, d.id`.execute(db)
  return rows
}

/** Those of the given devices that are still registered. */
export async function findTargets(db: CedarDb, ids: readonly string[]): Promise<TargetRow[]> {
  const { rows } = await sql<TargetRow>`
    select ${target} from cedar.push_device d where d.id = any(${ids}::uuid[])
    order by d.id`.execute(db)
  return rows
}

/** Devices not seen for 270 days, when FCM expires Android tokens. */
export async function deleteUnseen(db: CedarDb): Promise<number> {
  const { rows } = await sql`
    delete from cedar.push_device where id in (
      select id from cedar.push_device where seen_at < now() - interval '270 days' limit 1000)
    returning id`.execute(db)
  return rows.length
}
