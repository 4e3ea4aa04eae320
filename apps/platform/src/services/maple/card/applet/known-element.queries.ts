import { sql, type RawBuilder } from 'kysely'
import type { ElementState } from '@grove/contract/maple/fleet/element.rules'
import type { CardState } from '@grove/secure-element/card/card-state'
import { inScope, type Scope } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'
import type { CardContents } from './card-contents.ts'

export interface KnownElement {
  cplc: string
  state: ElementState
  hasKeys: boolean
  isBusy: boolean
  /** Of a software card, which has no other memory. */
  card: CardState | null
  contents: CardContents | null
  readAt: string | null
  /** Whether Grove has installed the applet here, or started to. */
  isOurs: boolean
}

/** Grove's records of elements in a scope. */
export async function knownElements(
  db: MapleDb,
  cplcs: readonly string[],
  {
    appletId,
    scope,
    domain = null,
  }: { appletId: string; scope: Scope; domain?: string | null | undefined },
): Promise<KnownElement[]> {
  const { rows } = await sql<KnownElement>`
    select element.cplc, element.state, card.state as card,
      case when reading.contents ? 'applications' then reading.contents end as contents,
      reading.read_at as "readAt",
      exists (
        select from maple.key_set where key_set.cplc = element.cplc and key_set.state = 'active'
          and (key_set.domain_aid is null or key_set.domain_aid = ${domain})
      ) as "hasKeys",
      exists (select from maple.session_lease as lease where lease.cplc = element.cplc) as "isBusy",
      exists (
        select from maple.applet_target as target
        join maple.applet_operation as operation on operation.id = target.operation_id
        where target.cplc = element.cplc and target.started_at is not null
          and operation.applet_id = ${appletId} and operation.kind in ('install', 'upgrade')
          and target.step in ('load', 'install', 'check')
      ) as "isOurs"
    from maple.element as element
    left join maple.software_card as card on card.cplc = element.cplc
    left join maple.card_reading as reading on reading.cplc = element.cplc
    where element.cplc = any(${cplcs}::text[]) and ${inScope(scope, 'element.service_id')}
    order by element.cplc`.execute(db)
  return rows
}

/** The first elements of a profile in a scope: by hand, or by the rule of the profile. */
export async function elementsOfProfile(
  db: MapleDb,
  profile: string,
  { scope, limit }: { scope: Scope; limit: number },
): Promise<string[]> {
  const first = (condition: RawBuilder<unknown>) => sql`
    select element.cplc from maple.element as element
    where ${condition} and ${inScope(scope, 'element.service_id')} order by element.cplc limit ${sql.lit(limit)}`
  const { rows } = await sql<{ cplc: string }>`
    with rule as (select platform from maple.profile where id = ${profile})
    select cplc from (
      (${first(sql`element.profile_id = ${profile}`)})
      union
      (${first(sql`element.profile_id is null
        and element.cplc >= (select platform from rule)
        and element.cplc < (select platform from rule) || '~'`)})
    ) as found order by cplc limit ${sql.lit(limit)}`.execute(db)
  return rows.map(({ cplc }) => cplc)
}

/**
 * Stores a card's report, with the uploads of its load files: the one just loaded, otherwise the
 * known one, otherwise one with this AID and version.
 */
export async function storeContents(
  tx: MapleDb,
  cplc: string,
  contents: CardContents,
  loaded?: { appletId: string; packageAid: string; version: string; isLoaded: boolean },
): Promise<void> {
  const { appletId = null, packageAid = '', version = '', isLoaded = false } = loaded ?? {}
  await sql`
    insert into maple.card_reading (cplc, free_memory, contents)
    values (${cplc}, ${contents.freeMemory}, ${JSON.stringify(contents)}::jsonb)
    on conflict (cplc) do update set free_memory = excluded.free_memory,
      contents = excluded.contents, read_at = now()`.execute(tx)
  const files = contents.loadFiles.map((file) => ({
    aid: file.aid,
    version: file.version,
    instances: contents.applications
      .filter(({ loadFileAid }) => loadFileAid === file.aid)
      .map(({ aid, moduleAid, state: now }) => ({ aid, moduleAid, state: now })),
  }))
  await sql`
    delete from maple.installed_applet
    where cplc = ${cplc} and package_aid <> all(${files.map(({ aid }) => aid)}::text[])`.execute(tx)
  await sql`
    insert into maple.installed_applet as installed (cplc, package_aid, version, applet_id, instances)
    select ${cplc}, aid, version,
      case when aid = ${packageAid} and coalesce(version, ${version}) = ${version}
        then ${appletId}::uuid end, instances
    from jsonb_to_recordset(${JSON.stringify(files)}::jsonb)
      as file (aid text, version text, instances jsonb)
    on conflict (cplc, package_aid) do update set version = excluded.version,
      instances = excluded.instances,
      applet_id = case when installed.version is distinct from excluded.version
        then excluded.applet_id
        when ${isLoaded} then coalesce(excluded.applet_id, installed.applet_id)
        else coalesce(installed.applet_id, excluded.applet_id) end
  `.execute(tx)
}
