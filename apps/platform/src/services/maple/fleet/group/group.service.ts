import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { DeviceGroup } from '@grove/contract/maple/fleet/group'
import { maxGroupDevices, maxGroups } from '@grove/contract/maple/fleet/group.rules'
import type { Actor } from '../../../../core/actor.ts'
import { defineEvents } from '../../../../core/events/define-events.ts'
import { atRevision } from '../../../../core/http/at-revision.ts'
import { fieldProblem, invalidField, ProblemError } from '../../../../core/http/problem.ts'
import { storedName } from '../../../../core/http/stored-name.ts'
import { scopeOf, scopeOfService, serviceOf } from '../../../../core/scope.ts'
import { assertOpenService } from '../../access/service/service.service.ts'
import type { MapleContext } from '../../base/context.ts'
import type { MapleDb } from '../../base/tables.ts'
import { assertAllowed, rightsOf } from '../fleet.policy.ts'
import { storedRule } from './group.rules.ts'
import * as queries from './group.queries.ts'

const events = defineEvents(
  'maple',
  [
    'device_group.create',
    'device_group.update',
    'device_group.delete',
    'device_group.add',
    'device_group.remove',
  ],
  {
    columns: (id) => ({
      service_id: sql`(select service_id from maple.device_group where id = ${id}::uuid)`,
    }),
  },
)

type ById = { id: string }
type AtRevision = ById & { revision: number | undefined }

const what = 'group'

/** @throws BadCursorError */
export async function listGroups(
  { db }: MapleContext,
  actor: Actor,
  query: QueryOf<Calls['GET /api/maple/group']>,
): Promise<ResponseOf<Calls['GET /api/maple/group']>> {
  const page = await queries.groups.list.read(db, query, scopeOf(actor))
  return { ...page, items: page.items.map((group) => withRights(actor, group)) }
}

/** @throws ProblemError `already_exists`, `limit_reached`, `service_suspended` or `invalid_request`. */
export function createGroup(
  { db, now }: MapleContext,
  actor: Actor,
  input: BodyOf<Calls['POST /api/maple/group']>,
): Promise<DeviceGroup> {
  const serviceId = serviceOf(scopeOf(actor))
  const { description = '', rule } = input
  const values = {
    name: storedName('name', input.name),
    description: description.trim(),
    rule: rule ? storedRule(rule, now()) : null,
  }
  return db.transaction().execute(async (tx) => {
    if (serviceId !== null) await assertOpenService(tx, serviceId)
    if ((await queries.groups.count(tx, serviceId)) >= maxGroups)
      throw new ProblemError('limit_reached', `There are at most ${maxGroups} groups.`)
    await assertFreeName(tx, values.name, { id: null, serviceId })
    const id = await queries.groups.insert(tx, {
      ...queries.columnsOf(values),
      service_id: serviceId,
      created_by: actor.id,
    })
    return audited(tx, actor, 'device_group.create', id)
  })
}

/** @throws ProblemError `not_found`, `edit_conflict`, `already_exists`, `group_in_use` or `invalid_request`. */
export function updateGroup(
  { db, now }: MapleContext,
  actor: Actor,
  { id, revision, change }: AtRevision & { change: BodyOf<Calls['PUT /api/maple/group']> },
): Promise<DeviceGroup> {
  return db.transaction().execute(async (tx) => {
    const before = atRevision(await queries.groups.lock(tx, id, scopeOf(actor)), revision, what)
    const { name, description, rule } = change
    if (rule && before.rule === null)
      throw invalidField('rule', 'const', 'The group is a list of devices, which takes no rule.')
    const after = {
      ...before,
      ...(name !== undefined && { name: storedName('name', name) }),
      ...(description !== undefined && { description: description.trim() }),
      ...(rule && { rule: storedRule(rule, now()) }),
    }
    if (isDeepStrictEqual(before, after)) return withRights(actor, before)
    if (!isDeepStrictEqual(before.rule, after.rule) && (await queries.isBeingRead(tx, id)))
      throw new ProblemError(
        'group_in_use',
        'A rollout is finding its devices by this rule. Try again in a minute.',
      )
    await assertFreeName(tx, after.name, after)
    await queries.groups.update(tx, id, queries.columnsOf(after))
    return audited(tx, actor, 'device_group.update', id, before)
  })
}

/** @throws ProblemError `not_found`, `edit_conflict` or `group_in_use`. */
export function removeGroup(
  { db }: MapleContext,
  actor: Actor,
  { id, revision }: AtRevision,
): Promise<null> {
  return db.transaction().execute(async (tx) => {
    const before = atRevision(await queries.groups.lock(tx, id, scopeOf(actor)), revision, what)
    assertAllowed(actor, 'group.delete', before)
    await events.record(tx, actor, 'device_group.delete', id, { before: shown(before) })
    await queries.groups.delete(tx, id)
    return null
  })
}

/**
 * Adds devices of the group's service provider and removes others, all or none; again, it changes
 * nothing.
 * @throws ProblemError `not_found`, `group_has_rule`, `limit_reached` or `invalid_request`.
 */
export function changeDevices(
  { db }: MapleContext,
  actor: Actor,
  { id, add = [], remove = [] }: ById & BodyOf<Calls['POST /api/maple/group/{id}/devices']>,
): Promise<DeviceGroup> {
  return db.transaction().execute(async (tx) => {
    const group = (await queries.groups.lock(tx, id, scopeOf(actor))) ?? missing(id)
    assertAllowed(actor, 'group.changeDevices', group)
    const known = await queries.holdDevices(tx, add, scopeOfService(group.serviceId))
    const unknown = add.findIndex((device) => !known.has(device))
    if (unknown >= 0)
      throw invalidField(`add.${unknown}`, 'exists', `There is no device ${add[unknown]}.`)
    const removed = await queries.removeMembers(tx, id, remove)
    const added = await queries.addMembers(tx, id, add)
    const after = (await queries.groups.find(tx, id, scopeOf(actor))) ?? missing(id)
    if (added.length > 0 && (after.size ?? 0) > maxGroupDevices)
      throw new ProblemError(
        'limit_reached',
        `A list has at most ${maxGroupDevices} devices. For more, give them a tag, and create a group whose rule has that tag.`,
      )
    if (removed.length > 0)
      await events.record(tx, actor, 'device_group.remove', id, { before: { devices: removed } })
    if (added.length > 0)
      await events.record(tx, actor, 'device_group.add', id, { after: { devices: added } })
    return withRights(actor, after)
  })
}

async function audited(
  tx: MapleDb,
  actor: Actor,
  action: 'device_group.create' | 'device_group.update',
  id: string,
  before?: queries.GroupFacts,
): Promise<DeviceGroup> {
  const after = (await queries.groups.find(tx, id, scopeOf(actor))) ?? missing(id)
  await events.record(tx, actor, action, id, {
    ...(before && { before: shown(before) }),
    after: shown(after),
  })
  return withRights(actor, after)
}

function shown(facts: queries.GroupFacts) {
  const { isTarget: _, ...group } = facts
  return group
}

const withRights = (actor: Actor, group: queries.GroupFacts): DeviceGroup => ({
  ...shown(group),
  rights: rightsOf(actor, group, {
    changeDevices: 'group.changeDevices',
    delete: 'group.delete',
  }),
})

async function assertFreeName(
  tx: MapleDb,
  name: string,
  of: { id: string | null; serviceId: string | null },
): Promise<void> {
  if (await queries.isNameTaken(tx, name, of))
    throw fieldProblem('already_exists', 'name', `Another group is named ${name}.`)
}

function missing(id: string): never {
  throw new ProblemError('not_found', `There is no group ${id}.`)
}
