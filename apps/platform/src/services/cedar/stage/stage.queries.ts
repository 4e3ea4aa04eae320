import { sql, type RawBuilder } from 'kysely'
import type { MapleRight } from '@grove/contract/maple/access/right.rules'
import type { Provider } from '@grove/contract/cedar/provider'
import { keyWorks } from '../api-key/api-key.queries.ts'
import type { CedarDb } from '../tables.ts'

interface StageRow {
  providerId: string
  translations: Provider['translations']
  keyId: string | null
  scopes: MapleRight[] | null
  endsAt: string | null
}

const columns = sql`p.id as "providerId", p.translations`

/** An organisation with a valid key that the user belongs to; for an admin, any organisation. */
export function findStage(
  db: CedarDb,
  providerId: string,
  userId: string | undefined,
): Promise<StageRow | undefined> {
  const isOpen =
    userId === undefined
      ? sql`true`
      : sql`p.enabled
        and exists (select from cedar.provider_user u
          where u.provider_id = p.id and u.user_id = ${userId})
        and exists (select from cedar.provider_key k where k.provider_id = p.id and ${keyWorks})`
  return first(
    db,
    sql`
      select ${columns}, null as "keyId", null as scopes, null as "endsAt"
      from cedar.provider p
      where p.id = ${providerId} and not p.is_default and ${isOpen}`,
  )
}

/** The organisation of a valid key. */
export const findStageOfKey = (db: CedarDb, keyId: string): Promise<StageRow | undefined> =>
  first(
    db,
    sql`
      select ${columns}, k.id as "keyId", k.scopes, k.ends_at as "endsAt"
      from cedar.provider_key k join cedar.provider p on p.id = k.provider_id
      where k.id = ${keyId} and p.enabled and not p.is_default and ${keyWorks}`,
  )

async function first(db: CedarDb, query: RawBuilder<unknown>): Promise<StageRow | undefined> {
  const { rows } = await sql<StageRow>`${query}`.execute(db)
  return rows[0]
}
