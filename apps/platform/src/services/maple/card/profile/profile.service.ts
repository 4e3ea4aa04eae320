import type { BodyOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { SecureElement } from '@grove/contract/maple/fleet/element'
import type { SecureElementProfile } from '@grove/contract/maple/card/profile'
import { maxProfiles } from '@grove/contract/maple/fleet/element.rules'
import type { AnyActor } from '../../../../core/actor.ts'
import { atRevision } from '../../../../core/http/at-revision.ts'
import { fieldProblem, ProblemError } from '../../../../core/http/problem.ts'
import { storedName } from '../../../../core/http/stored-name.ts'
import { scopeOf, serviceOf } from '../../../../core/scope.ts'
import { record } from '../../fleet/context.ts'
import type { MapleContext } from '../../base/context.ts'
import { readCplc } from '../../base/cplc-text.ts'
import { changeElement, lockElement } from '../../fleet/element/element.queries.ts'
import { audited, withRights } from '../../fleet/element/element.service.ts'
import {
  countProfiles,
  deleteProfile,
  findAssigned,
  findByPlatform,
  insertProfile,
  listOfPlatforms,
  listOfProfiles,
  lockProfile,
  renameProfile,
} from './profile.queries.ts'

/** Profiles are everybody's; which platforms the whole fleet has is not for a scope. */
export async function listProfiles(
  { db }: MapleContext,
  actor: AnyActor,
): Promise<ResponseOf<Calls['GET /api/maple/se/profiles']>> {
  const isScoped = serviceOf(scopeOf(actor)) !== null
  const [items, platforms] = await Promise.all([
    listOfProfiles(db),
    isScoped ? [] : listOfPlatforms(db),
  ])
  return { items, platforms }
}

/** @throws ProblemError `already_exists` or `limit_reached`. */
export function createProfile(
  { db }: MapleContext,
  actor: AnyActor,
  { id, name: given, platform: rule = null }: BodyOf<Calls['POST /api/maple/se/profiles']>,
): Promise<SecureElementProfile> {
  const name = storedName('name', given)
  const platform = rule === null ? null : rule.toUpperCase()
  return db.transaction().execute(async (tx) => {
    if ((await countProfiles(tx)) >= maxProfiles)
      throw new ProblemError('limit_reached', `There are already ${maxProfiles} profiles.`)
    const owner = platform === null ? undefined : await findByPlatform(tx, platform)
    if (owner !== undefined)
      throw fieldProblem(
        'already_exists',
        'platform',
        `The profile ${owner} already has a rule for this platform.`,
      )
    const after = await insertProfile(tx, { id, name, platform })
    if (!after)
      throw fieldProblem('already_exists', 'id', `A profile with the id ${id} already exists.`)
    await record(tx, actor, 'profile.create', id, { after })
    return after
  })
}

/** A name that it has already leaves the revision. @throws ProblemError `not_found` or `edit_conflict`. */
export function changeProfile(
  { db }: MapleContext,
  actor: AnyActor,
  { id, revision, name: given }: { id: string; revision: number | undefined; name: string },
): Promise<SecureElementProfile> {
  const name = storedName('name', given)
  return db.transaction().execute(async (tx) => {
    const before = atRevision(await lockProfile(tx, id, 'no key update'), revision, 'profile')
    if (before.name === name) return before
    const after = await renameProfile(tx, id, name)
    if (!after) throw new Error(`profile ${id} vanished while it was held`)
    await record(tx, actor, 'profile.update', id, { before, after })
    return after
  })
}

/** Assigns a profile by hand; null returns the element to the rules. */
export function assignProfile(
  { db }: MapleContext,
  actor: AnyActor,
  {
    revision,
    ...given
  }: BodyOf<Calls['PUT /api/maple/se/profiles']> & { revision: number | undefined },
): Promise<SecureElement> {
  const cplc = readCplc('cplc', given.cplc)
  const profileId = given.profile_id
  return db.transaction().execute(async (tx) => {
    // Before the element, as a deletion of the profile does.
    if (profileId !== null && !(await lockProfile(tx, profileId, 'key share')))
      throw fieldProblem('not_found', 'profile_id', `There is no profile ${profileId}.`)
    const before = atRevision(await lockElement(tx, cplc, scopeOf(actor)), revision, 'element')
    const assigned = before.profile?.isAssigned ? before.profile.id : null
    if (assigned === profileId) return withRights(actor, before)
    await changeElement(tx, cplc, { profileId })
    return audited(tx, actor, 'element.profile', cplc, before)
  })
}

/** @throws ProblemError `not_found`, `edit_conflict` or `profile_in_use`. */
export function removeProfile(
  { db }: MapleContext,
  actor: AnyActor,
  { id, revision }: { id: string; revision: number | undefined },
): Promise<null> {
  return db.transaction().execute(async (tx) => {
    const before = atRevision(await lockProfile(tx, id, 'update'), revision, 'profile')
    const cplc = await findAssigned(tx, id)
    if (cplc !== undefined)
      throw new ProblemError(
        'profile_in_use',
        `It is assigned to the element ${cplc}, and maybe to more; assign them another one first.`,
      )
    await deleteProfile(tx, id)
    await record(tx, actor, 'profile.delete', id, { before })
    return null
  })
}
