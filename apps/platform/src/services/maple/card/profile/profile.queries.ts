import { sql } from 'kysely'
import type { SecureElementProfile } from '@grove/contract/maple/card/profile'
import { maxProfiles, platformDigits } from '@grove/contract/maple/fleet/element.rules'
import type { MapleDb } from '../../base/tables.ts'

const columns = sql<SecureElementProfile>`
  id, name, platform, revision, created_at as "createdAt", updated_at as "updatedAt"`

export async function listOfProfiles(db: MapleDb): Promise<SecureElementProfile[]> {
  const { rows } = await sql<SecureElementProfile>`
    select ${columns} from maple.profile order by id
  `.execute(db)
  return rows
}

/** The platforms of elements, found by a loose index scan. */
export async function listOfPlatforms(db: MapleDb): Promise<string[]> {
  const digits = sql.lit(platformDigits)
  const next = (after: string) => sql`
    (select substr(cplc, 1, ${digits}) from maple.element
    where cplc >= ${sql.raw(after)} order by cplc limit 1)`
  const { rows } = await sql<{ platform: string }>`
    with recursive found as (
      select ${next(`''`)} as platform, 1 as place
      union all
      select ${next(`found.platform || '~'`)}, place + 1
      from found where platform is not null and place < ${sql.lit(maxProfiles)}
    )
    select platform from found where platform is not null
  `.execute(db)
  return rows.map(({ platform }) => platform)
}

/** Serialises new profiles, so that their number stays within the limit. */
export async function countProfiles(db: MapleDb): Promise<number> {
  await sql`lock table maple.profile in share row exclusive mode`.execute(db)
  const { rows } = await sql<{ count: number }>`select count(*) from maple.profile`.execute(db)
  return rows[0]?.count ?? 0
}

export async function findByPlatform(db: MapleDb, platform: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from maple.profile where platform = ${platform}
  `.execute(db)
  return rows[0]?.id
}

/** Undefined if the id is taken. */
export async function insertProfile(
  db: MapleDb,
  { id, name, platform }: Pick<SecureElementProfile, 'id' | 'name' | 'platform'>,
): Promise<SecureElementProfile | undefined> {
  const { rows } = await sql<SecureElementProfile>`
    insert into maple.profile (id, name, platform) values (${id}, ${name}, ${platform})
    on conflict (id) do nothing returning ${columns}
  `.execute(db)
  return rows[0]
}

/**
 * Locks the profile for the transaction: `update` to delete it, `no key update` to rename it, `key
 * share` to assign it.
 */
export async function lockProfile(
  db: MapleDb,
  id: string,
  lock: 'update' | 'no key update' | 'key share',
): Promise<SecureElementProfile | undefined> {
  const { rows } = await sql<SecureElementProfile>`
    select ${columns} from maple.profile where id = ${id} for ${sql.raw(lock)}
  `.execute(db)
  return rows[0]
}

export async function renameProfile(
  db: MapleDb,
  id: string,
  name: string,
): Promise<SecureElementProfile | undefined> {
  const { rows } = await sql<SecureElementProfile>`
    update maple.profile set name = ${name}, revision = revision + 1, updated_at = now()
    where id = ${id} returning ${columns}
  `.execute(db)
  return rows[0]
}

/** An element that the profile is assigned to by hand. */
export async function findAssigned(db: MapleDb, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ cplc: string }>`
    select cplc from maple.element where profile_id = ${id} limit 1
  `.execute(db)
  return rows[0]?.cplc
}

export async function deleteProfile(db: MapleDb, id: string): Promise<void> {
  await db.deleteFrom('maple.profile').where('id', '=', id).execute()
}
