import { sql } from 'kysely'
import type { QueryOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { DeviceGroup } from '@grove/contract/maple/fleet/group'
import { groupSearchLimit, groupSorting } from '@grove/contract/maple/fleet/group.rules'
import { defineOwned } from '../../../../core/owned/define-owned.ts'
import { inScope, type Scope } from '../../../../core/scope.ts'
import { nameKey } from '../../../../core/database/name-key.ts'
import type { MapleDb } from '../../base/tables.ts'

/** A group as it is stored; what may be done to it depends on the reader. */
export interface GroupFacts extends Omit<DeviceGroup, 'rights'> {
  /** A rollout that is not over takes its devices from it. */
  isTarget: boolean
}

const rollouts = sql`
  from maple.rollout as rollout
  where rollout.targets #>> '{filter,groupId}' = device_group.id::text
    and rollout.state not in ('finished', 'stopped')`

export const groups = defineOwned<GroupFacts, QueryOf<Calls['GET /api/maple/group']>>({
  table: 'maple.device_group',
  list: 'device group',
  columns: sql`
    device_group.id, device_group.service_id as "serviceId", device_group.name,
    device_group.description, device_group.rule,
    case when device_group.rule is null then (
      select count(*)::int from maple.device_group_member where group_id = device_group.id
    ) end as size,
    exists (select ${rollouts}) as "isTarget", device_group.created_by as "createdBy",
    device_group.revision, device_group.created_at as "createdAt",
    device_group.updated_at as "updatedAt"`,
  sorting: groupSorting,
  filters: {
    kind: (kind) => sql`device_group.rule is ${kind === 'list' ? sql`null` : sql`not null`}`,
  },
  searchLimit: groupSearchLimit,
})

export const columnsOf = ({
  name,
  description,
  rule,
}: Pick<GroupFacts, 'name' | 'description' | 'rule'>) => ({
  name,
  description,
  rule: rule && JSON.stringify(rule),
})

/** Its rule stays for the transaction, and so does it; false for one that is not there. */
export async function holdGroup(tx: MapleDb, id: string, scope: Scope): Promise<boolean> {
  const { rows } = await sql`
    select 1 from maple.device_group
    where id = ${id} and ${inScope(scope, 'service_id')} for share`.execute(tx)
  return rows.length > 0
}

/** What finds the devices of a group. */
export async function findRule(
  db: MapleDb,
  id: string,
  scope: Scope,
): Promise<Pick<GroupFacts, 'rule' | 'serviceId'> | undefined> {
  const { rows } = await sql<Pick<GroupFacts, 'rule' | 'serviceId'>>`
    select rule, service_id as "serviceId" from maple.device_group
    where id = ${id} and ${inScope(scope, 'service_id')}`.execute(db)
  return rows[0]
}

/** Whether another group of the service provider has the name. */
export async function isNameTaken(
  db: MapleDb,
  name: string,
  { id, serviceId }: { id: string | null; serviceId: string | null },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from maple.device_group
    where coalesce(service_id, '') = ${serviceId ?? ''} and name_key = ${nameKey(name)}
      and id is distinct from ${id}`.execute(db)
  return rows.length > 0
}

/** Whether a rollout is finding its devices by the rule of a group now. */
export async function isBeingRead(tx: MapleDb, id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from maple.device_group cross join lateral (
      select ${rollouts} and rollout.step = 'find' and rollout.started_at is not null limit 1
    ) as finding where device_group.id = ${id}`.execute(tx)
  return rows.length > 0
}

/** Which of these devices a scope has; they stay with their service provider for the transaction. */
export async function holdDevices(
  tx: MapleDb,
  ids: readonly string[],
  scope: Scope,
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from maple.device where id = any(${ids}::text[]) and ${inScope(scope, 'service_id')}
    order by id for share`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}

/** Answers those that were not in it. */
export async function addMembers(
  tx: MapleDb,
  groupId: string,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    insert into maple.device_group_member (group_id, device_id)
    select ${groupId}, id from unnest(${ids}::text[]) as id order by id
    on conflict do nothing returning device_id as id`.execute(tx)
  return rows.map(({ id }) => id)
}

/** Answers those that were in it. */
export async function removeMembers(
  tx: MapleDb,
  groupId: string,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    delete from maple.device_group_member
    where group_id = ${groupId} and device_id = any(${ids}::text[])
    returning device_id as id`.execute(tx)
  return rows.map(({ id }) => id)
}
