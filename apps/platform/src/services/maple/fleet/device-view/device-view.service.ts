import type { BodyOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { DeviceView } from '@grove/contract/maple/fleet/device-view'
import { maxViews } from '@grove/contract/maple/fleet/device-view.rules'
import type { Actor } from '../../../../core/actor.ts'
import { defineEvents } from '../../../../core/events/define-events.ts'
import { atRevision } from '../../../../core/http/at-revision.ts'
import { fieldProblem, ProblemError } from '../../../../core/http/problem.ts'
import { storedName } from '../../../../core/http/stored-name.ts'
import type { MapleContext } from '../../base/context.ts'
import { nameKey } from '../../../../core/database/name-key.ts'
import {
  changeView,
  deleteView,
  insertView,
  lockView,
  readViews,
  type ViewValues,
} from './device-view.queries.ts'

const events = defineEvents('maple', [
  'device_view.create',
  'device_view.update',
  'device_view.delete',
])

interface ViewAt {
  id: string
  revision: number | undefined
}

/** One's own views; other people's are invisible. */
export const listViews = async (
  { db }: MapleContext,
  actor: Actor,
): Promise<ResponseOf<Calls['GET /api/maple/device/view']>> => ({
  items: await readViews(db, actor.id),
})

/** @throws ProblemError `already_exists` or `limit_reached`. */
export function createView(
  { db }: MapleContext,
  actor: Actor,
  input: BodyOf<Calls['POST /api/maple/device/view']>,
): Promise<DeviceView> {
  const values = { ...input, name: storedName('name', input.name) }
  return db.transaction().execute(async (tx) => {
    if ((await readViews(tx, actor.id)).length >= maxViews)
      throw new ProblemError('limit_reached', `You have ${maxViews} saved views. Delete one first.`)
    const after = await insertView(tx, actor.id, values)
    if (!after) throw nameTaken(values)
    await events.record(tx, actor, 'device_view.create', after.id, { after })
    return after
  })
}

/** @throws ProblemError `not_found`, `edit_conflict` or `already_exists`. */
export function updateView(
  { db }: MapleContext,
  actor: Actor,
  { id, revision, change }: ViewAt & { change: BodyOf<Calls['PUT /api/maple/device/view']> },
): Promise<DeviceView> {
  return db.transaction().execute(async (tx) => {
    const before = atRevision(await lockView(tx, actor.id, id), revision, 'view')
    const { search = before.search } = change
    const name = change.name === undefined ? before.name : storedName('name', change.name)
    if (name === before.name && search === before.search) return before
    const others = await readViews(tx, actor.id)
    if (others.some((view) => view.id !== id && isSame(view.name, name))) throw nameTaken({ name })
    const after = await changeView(tx, id, { name, search })
    if (!after) throw new Error(`The view ${id} vanished while it was locked.`)
    await events.record(tx, actor, 'device_view.update', id, { before, after })
    return after
  })
}

/** @throws ProblemError `not_found` or `edit_conflict`. */
export function removeView(
  { db }: MapleContext,
  actor: Actor,
  { id, revision }: ViewAt,
): Promise<null> {
  return db.transaction().execute(async (tx) => {
    const before = atRevision(await lockView(tx, actor.id, id), revision, 'view')
    await deleteView(tx, id)
    await events.record(tx, actor, 'device_view.delete', id, { before })
    return null
  })
}

const isSame = (one: string, other: string) => nameKey(one) === nameKey(other)

const nameTaken = ({ name }: Pick<ViewValues, 'name'>) =>
  fieldProblem('already_exists', 'name', `You have a view named ${name}.`)
