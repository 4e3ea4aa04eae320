import { sql } from 'kysely'
import type { ApiKey } from '@grove/contract/cedar/api-key'
import { apiKeyOverlapHours } from '@grove/contract/cedar/moby-api.rules'
import type { CedarDb } from '../tables.ts'

/**
 * Whether a key `k` is valid: not expired, and its creator still belongs to the provider. A key
 * chosen by an admin has no creator.
 */
export const keyWorks = sql`(k.ends_at is null or k.ends_at > now())
  and (k.created_by is null or exists (
    select from cedar.provider_user maker
    where maker.provider_id = k.provider_id and maker.user_id = k.created_by))`

const columns = sql`k.id, k.name, k.last4, k.scopes, k.created_by as "createdBy",
  k.created_at as "createdAt", k.ends_at as "endsAt", k.last_used_at as "lastUsedAt"`

export async function listApiKeys(db: CedarDb, providerId: string): Promise<ApiKey[]> {
  const { rows } = await sql<ApiKey>`
    select ${columns} from cedar.provider_key k
    where k.provider_id = ${providerId} and ${keyWorks}
    order by k.created_at desc, k.id`.execute(db)
  return rows
}

interface NewKey {
  id: string
  providerId: string
  name: string
  hash: string
  last4: string
  scopes: readonly string[]
  createdBy: string
  expiresInDays: number | null
}

export async function insertApiKey(db: CedarDb, key: NewKey): Promise<ApiKey | undefined> {
  await sql`
    insert into cedar.provider_key
      (id, provider_id, name, hash, last4, scopes, created_by, ends_at)
    values (${key.id}, ${key.providerId}, ${key.name}, ${key.hash}, ${key.last4}, ${key.scopes},
      ${key.createdBy}, now() + make_interval(days => ${key.expiresInDays}))`.execute(db)
  const { rows } = await sql<ApiKey>`
    select ${columns} from cedar.provider_key k where k.id = ${key.id}`.execute(db)
  return rows[0]
}

/** Expired keys are useless. */
export async function deleteEndedKeys(db: CedarDb, providerId: string): Promise<void> {
  await sql`delete from cedar.provider_key k
    where k.provider_id = ${providerId} and not (${keyWorks})`.execute(db)
}

/** A replaced key works for some more hours; false if there is no such key. */
export async function endReplacedKey(
  db: CedarDb,
  providerId: string,
  keyId: string,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update cedar.provider_key k
    set ends_at = least(ends_at, now() + make_interval(hours => ${apiKeyOverlapHours}))
    where k.provider_id = ${providerId} and k.id = ${keyId} and ${keyWorks}`.execute(db)
  return numAffectedRows === 1n
}

/** The valid key with a hash, of an enabled provider. Records the use, at most once a minute. */
export async function useApiKey(db: CedarDb, hash: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string; isNoted: boolean }>`
    select k.id, coalesce(k.last_used_at > now() - interval '1 minute', false) as "isNoted"
    from cedar.provider_key k join cedar.provider p on p.id = k.provider_id
    where k.hash = ${hash} and p.enabled and ${keyWorks}`.execute(db)
  const [found] = rows
  if (found && !found.isNoted)
    await sql`update cedar.provider_key set last_used_at = now() where id = ${found.id}`.execute(db)
  return found?.id
}
