import { sql, type RawBuilder } from 'kysely'
import { inScope, type Scope } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'

/** Whether elements need tokens in the name of domains, according to the records. */
export interface TokenNeed {
  /** Some domain is not known to be able to manage its contents without tokens. */
  wantsToken: boolean
  /** Grove can sign for some element. */
  hasTokenKey: boolean
  /** Grove can sign for some element that may need it. */
  canSign: boolean
  /** Some element is known to need tokens, and Grove cannot sign for it. */
  isStuck: boolean
}

const none: TokenNeed = { wantsToken: false, hasTokenKey: false, canSign: false, isStuck: false }

/** The keys that sign for the elements in `wanted`. */
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

/**
 * The same for all elements of a scope: a rollout's elements are unknown before it starts, and more
 * may join it.
 */
export async function tokenNeedOfScope(
  db: MapleDb,
  scope: Scope,
  domains: readonly string[],
): Promise<Pick<TokenNeed, 'canSign' | 'isStuck'>> {
  const known = (isAlone: boolean) => sql`exists (
    select from maple.domain as own
    join maple.element as element on element.cplc = own.cplc
    where own.aid = any(${domains}::text[]) and ${inScope(scope, 'element.service_id')}
      and (own.privileges @> '{authorizedManagement}') = ${isAlone})`
  const signs = (condition: RawBuilder<unknown>) => sql`exists (
    select from maple.element as wanted
    where ${inScope(scope, 'wanted.service_id')} and exists (${signingKeysOf('token')})
      and ${condition})`
  const { rows } = await sql<Pick<TokenNeed, 'canSign' | 'isStuck'>>`
    select
      ${signs(sql`exists (
        select from unnest(${domains}::text[]) as name (aid)
        where not exists (
          select from maple.domain as own where own.cplc = wanted.cplc and own.aid = name.aid
            and own.privileges @> '{authorizedManagement}'))`)} as "canSign",
      case when ${signs(sql`true`)} or ${known(true)} then false
        else ${known(false)} end as "isStuck"
  `.execute(db)
  return rows[0] ?? none
}
