import { sql } from 'kysely'
import type { SecureElement } from '@grove/contract/maple/fleet/element'
import type { ElementState } from '@grove/contract/maple/fleet/element.rules'
import { inScope, type Scope } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'

/** An element as it is stored; what may be done to it depends on the reader. */
export type ElementFacts = Omit<SecureElement, 'rights'>

const moment = (column: string) =>
  sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/**
 * An element's columns under the contract's names. The profile is the one assigned by hand, or the
 * one whose rule matches: a rule applies immediately, and imports need not know it.
 */
export const elementColumns = sql<ElementFacts>`
  element.cplc as id, element.cplc, element.chip_id as "chipId", element.state, element.has_hsm as hsm,
  element.difference, element.revision, element.created_at as "createdAt", element.updated_at as "updatedAt",
  (
    select json_build_object('id', id, 'name', name, 'isAssigned', element.profile_id is not null)
    from maple.profile where case when element.profile_id is null
      then platform = substr(element.cplc, 1, 20) else id = element.profile_id end
  ) as profile,
  (
    select json_build_object('id', id, 'name', name, 'attachedAt', ${moment('element.attached_at')})
    from maple.device where id = element.device_id
  ) as device,
  (
    select coalesce(json_agg(json_build_object(
      'id', id, 'action', action, 'state', state, 'createdAt', ${moment('approval.created_at')}
    ) order by created_at, id), '[]')
    from maple.approval as approval
    where subject = element.cplc and (
      state = 'pending' and expires_at > now()
      or state = 'approved' and exists (
        select 1 from maple.job as job
        where job.id = approval.job_id and job.state in ('queued', 'running')
      )
    )
  ) as approvals,
  (
    select coalesce(json_agg(cplc order by cplc), '[]') from (
      select cplc from maple.element as other
      where other.chip_id = element.chip_id and other.cplc <> element.cplc limit 8
    ) as same
  ) as conflicts,
  (
    select coalesce(json_agg(json_build_object(
      'cplc', former_cplc, 'replacedAt', ${moment('replaced_at')}
    ) order by replaced_at desc, former_cplc), '[]')
    from maple.element_history where cplc = element.cplc
  ) as history
`

/** An element of another scope is not there. */
export async function findElement(
  db: MapleDb,
  cplc: string,
  scope: Scope,
): Promise<ElementFacts | undefined> {
  const { rows } = await sql<ElementFacts>`
    select ${elementColumns} from maple.element as element
    where element.cplc = ${cplc} and ${inScope(scope, 'element.service_id')}
  `.execute(db)
  return rows[0]
}

/** Those that exist within the scope, by CPLC. */
export async function findElements(
  db: MapleDb,
  cplcs: readonly string[],
  scope: Scope,
): Promise<ElementFacts[]> {
  const { rows } = await sql<ElementFacts>`
    select ${elementColumns} from maple.element as element
    where element.cplc = any(${cplcs}) and ${inScope(scope, 'element.service_id')}
    order by element.cplc`.execute(db)
  return rows
}

/** Locks the element for the transaction. */
export async function lockElement(
  db: MapleDb,
  cplc: string,
  scope: Scope,
): Promise<ElementFacts | undefined> {
  await sql`
    select 1 from maple.element as element
    where cplc = ${cplc} and ${inScope(scope, 'element.service_id')} for update`.execute(db)
  return findElement(db, cplc, scope)
}

/** Serialises requests about one chip, even if it is not registered yet. */
export async function holdChip(db: MapleDb, chip: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`maple.chip ${chip}`}, 0))`.execute(db)
}

/** The CPLC of an element with this chip, if there is one. */
export async function findChip(
  db: MapleDb,
  chip: string,
  scope: Scope,
): Promise<string | undefined> {
  const { rows } = await sql<{ cplc: string }>`
    select cplc from maple.element as element
    where chip_id = ${chip} and ${inScope(scope, 'element.service_id')} order by cplc limit 1
  `.execute(db)
  return rows[0]?.cplc
}

/** The element that had this CPLC before. */
export async function findSuccessor(
  db: MapleDb,
  former: string,
  scope: Scope,
): Promise<string | undefined> {
  const { rows } = await sql<{ cplc: string }>`
    select cplc from maple.element_history join maple.element as element using (cplc)
    where former_cplc = ${former} and ${inScope(scope, 'element.service_id')}
  `.execute(db)
  return rows[0]?.cplc
}

/** False if it is already registered. */
export async function insertElement(
  db: MapleDb,
  { cplc, state, serviceId }: { cplc: string; state: ElementState; serviceId: string | null },
): Promise<boolean> {
  const { rows } = await sql`
    insert into maple.element (cplc, state, service_id) values (${cplc}, ${state}, ${serviceId})
    on conflict (cplc) do nothing returning 1
  `.execute(db)
  return rows.length > 0
}

/** Keeps the first difference until someone has looked at it; null means that someone has. */
export async function setDifference(
  db: MapleDb,
  cplc: string,
  difference: ElementFacts['difference'],
): Promise<void> {
  await sql`
    update maple.element set difference = ${
      difference ? sql`coalesce(difference, ${JSON.stringify(difference)}::jsonb)` : sql`null`
    } where cplc = ${cplc}`.execute(db)
}

interface ElementChange {
  state?: ElementState
  hsm?: boolean
  profileId?: string | null
}

export async function changeElement(
  db: MapleDb,
  cplc: string,
  { state, hsm, profileId }: ElementChange,
): Promise<void> {
  await db
    .updateTable('maple.element')
    .set((set) => ({
      ...(state !== undefined && { state }),
      ...(hsm !== undefined && { has_hsm: hsm }),
      ...(profileId !== undefined && { profile_id: profileId }),
      revision: set('revision', '+', 1),
      updated_at: sql<string>`now()`,
    }))
    .where('cplc', '=', cplc)
    .execute()
}

export async function deleteElement(db: MapleDb, cplc: string): Promise<void> {
  await db.deleteFrom('maple.element').where('cplc', '=', cplc).execute()
}

/** What remains of an element whose chip has another CPLC from now on. */
interface Successor {
  cplc: string
  former: string
}

/**
 * Gives an element a new, unused CPLC, and keeps the old one as history. Its domains and older
 * history follow by their foreign keys.
 */
export async function renameElement(db: MapleDb, { cplc, former }: Successor): Promise<void> {
  await sql`
    update maple.element set cplc = ${cplc}, revision = revision + 1, updated_at = now()
    where cplc = ${former}
  `.execute(db)
  await sql`
    insert into maple.element_history (former_cplc, cplc) values (${former}, ${cplc})
  `.execute(db)
}

/**
 * Ends an element whose chip is already registered under another CPLC: that one keeps its own data
 * and takes over the rest.
 */
export async function mergeElement(db: MapleDb, { cplc, former }: Successor): Promise<void> {
  await sql`
    update maple.element_history set cplc = ${cplc} where cplc = ${former}
  `.execute(db)
  await sql`
    update maple.domain set cplc = ${cplc} where cplc = ${former}
      and not exists (select from maple.domain where cplc = ${cplc})
  `.execute(db)
  await sql`
    update maple.key_set as key set cplc = ${cplc} where cplc = ${former} and not exists (
      select from maple.key_set as own
      where own.cplc = ${cplc} and own.state = key.state and own.version = key.version
    )
  `.execute(db)
  await sql`
    with old as (delete from maple.element where cplc = ${former} returning *)
    update maple.element as element set
      device_id = coalesce(element.device_id, old.device_id),
      attached_at = coalesce(element.attached_at, old.attached_at),
      profile_id = coalesce(element.profile_id, old.profile_id),
      state = case when element.state = 'unknown' then old.state else element.state end,
      has_hsm = element.has_hsm or old.has_hsm,
      revision = element.revision + 1, updated_at = now()
    from old where element.cplc = ${cplc}
  `.execute(db)
  await sql`
    insert into maple.element_history (former_cplc, cplc) values (${former}, ${cplc})
  `.execute(db)
}
