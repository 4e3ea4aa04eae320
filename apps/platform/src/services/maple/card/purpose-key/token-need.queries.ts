import { sql } from 'kysely'
import type { MapleDb } from '../../base/tables.ts'

/** Whether elements need tokens in the name of domains, by the records. */
export interface TokenNeed {
  /** A domain is not known to manage its contents by itself. */
  wantsToken: boolean
  /** Grove can sign for an element. */
  hasTokenKey: boolean
  /** Grove can sign for an element that may need it. */
  canSign: boolean
  /** An element is known to need it, and Grove cannot sign for it. */
  isStuck: boolean
}

const none: TokenNeed = { wantsToken: false, hasTokenKey: false, canSign: false, isStuck: false }

/** The keys that sign for elements: `wanted` names these. */
export const signingKeysOf = (purpose: 'token' | 'dap') => sql`
  select from maple.purpose_key as key where key.cplc = wanted.cplc and key.state = 'active'
    and key.purpose = ${purpose} and key.sealed_keys is not null`

export async function tokenNeed(
  db: MapleDb,
  cplcs: readonly string[],
  domains: readonly string[],
): Promise<TokenNeed> {
  if (domains.length === 0) return none
  const { rows } = await sql<TokenNeed>`
    select
      coalesce(bool_or("isWanted"), false) as "wantsToken",
      coalesce(bool_or("hasKey"), false) as "hasTokenKey",
      coalesce(bool_or("isWanted" and "hasKey"), false) as "canSign",
      coalesce(bool_or("isKnown" and not "hasKey"), false) as "isStuck"
    from (
      select
        own.cplc is null or not (own.privileges @> '{authorizedManagement}') as "isWanted",
        own.cplc is not null and not (own.privileges @> '{authorizedManagement}') as "isKnown",
        exists (${signingKeysOf('token')}) as "hasKey"
      from unnest(${cplcs}::text[]) as wanted (cplc)
      cross join unnest(${domains}::text[]) as name (aid)
      left join maple.domain as own on own.cplc = wanted.cplc and own.aid = name.aid
    ) as need
  `.execute(db)
  return rows[0] ?? none
}
