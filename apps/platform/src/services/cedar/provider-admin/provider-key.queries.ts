import { sql } from 'kysely'
import type { CedarDb } from '../tables.ts'

/** The admin's previous key stays valid for some hours; the one before it ends now. */
export async function replaceKey(db: CedarDb, providerId: string, hours: number): Promise<void> {
  await db
    .deleteFrom('cedar.provider_key')
    .where('provider_id', '=', providerId)
    .where('name', 'is', null)
    .where('ends_at', 'is not', null)
    .execute()
  await db
    .updateTable('cedar.provider_key')
    .set({ ends_at: sql<string>`now() + make_interval(hours => ${hours}::integer)` })
    .where('provider_id', '=', providerId)
    .where('name', 'is', null)
    .execute()
}

interface NewKey {
  id: string
  providerId: string
  hash: string
  last4: string
}

/** @returns false if some provider already has the key. */
export async function insertKey(db: CedarDb, key: NewKey): Promise<boolean> {
  const row = await db
    .insertInto('cedar.provider_key')
    .values({ id: key.id, provider_id: key.providerId, hash: key.hash, last4: key.last4 })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export const deleteKeys = (db: CedarDb, providerId: string) =>
  db.deleteFrom('cedar.provider_key').where('provider_id', '=', providerId).execute()

/** Ends the keys of every provider; returns the ids of those that had one. */
export async function deleteAllKeys(db: CedarDb): Promise<string[]> {
  const rows = await db.deleteFrom('cedar.provider_key').returning('provider_id as id').execute()
  return [...new Set(rows.map(({ id }) => id))]
}

/** @returns false if the provider has no such key. */
export async function deleteKey(db: CedarDb, providerId: string, keyId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('cedar.provider_key')
    .where('provider_id', '=', providerId)
    .where('id', '=', keyId)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

/** The enabled provider for which a key is valid. */
export const findKeyProvider = (db: CedarDb, hash: string) =>
  db
    .selectFrom('cedar.provider_key as k')
    .innerJoin('cedar.provider as p', 'p.id', 'k.provider_id')
    .select(['p.id', 'k.id as keyId'])
    .where('k.hash', '=', hash)
    .where('p.enabled', '=', true)
    .where((where) =>
      where.or([where('k.ends_at', 'is', null), where('k.ends_at', '>', sql<string>`now()`)]),
    )
    .executeTakeFirst()
