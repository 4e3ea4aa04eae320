import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { elementSortsOf } from '@grove/contract/maple/fleet/element.rules'
import { chipId } from '@grove/secure-element/cplc'
import type { AnyActor } from '../../../../core/actor.ts'
import { atRevision } from '../../../../core/http/at-revision.ts'
import { fieldProblem, invalidField, ProblemError } from '../../../../core/http/problem.ts'
import { everything, scopeOf, serviceOf } from '../../../../core/scope.ts'
import { record } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { assertAllowed, rightsOf } from '../fleet.policy.ts'
import type { MapleDb } from '../../base/tables.ts'
import { readCplc } from '../../base/cplc-text.ts'
import { elementList } from './element-list.queries.ts'
import {
  changeElement,
  deleteElement,
  findChip,
  findElement,
  findSuccessor,
  holdChip,
  insertElement,
  lockElement,
  mergeElement,
  renameElement,
  type ElementFacts,
} from './element.queries.ts'

/**
 * @throws ProblemError `invalid_request` for a sort that the filters do not have; BadCursorError for
 * a cursor that is not of this order.
 */
export async function listElements(
  { db }: Pick<MapleContext, 'db'>,
  actor: AnyActor,
  query: QueryOf<Calls['GET /api/maple/se/element']>,
): Promise<ResponseOf<Calls['GET /api/maple/se/element']>> {
  const sorts = elementSortsOf(query)
  if (query.sort !== undefined && !sorts.includes(query.sort))
    throw invalidField('sort', 'enum', `With these filters, sort must be ${sorts.join(' or ')}.`)
  const page = await elementList.read(db, query, scopeOf(actor))
  return {
    ...page,
    items: page.items.map(({ key: _key, ...element }) => withRights(actor, element)),
  }
}

/**
 * Registers an element. For a known chip the caller must say what that means: it was personalised
 * again, so the new CPLC replaces the old one, or it is another chip.
 * @throws ProblemError `already_exists`, `chip_known`, `chip_differs`, `not_found` or
 * `element_attached`.
 */
export function createElement(
  { db }: MapleContext,
  actor: AnyActor,
  { state = 'unknown', isOtherChip = false, ...given }: BodyOf<Calls['POST /api/maple/se/element']>,
): Promise<SecureElement> {
  const cplc = readCplc('cplc', given.cplc)
  const replaces = given.replaces === undefined ? undefined : readCplc('replaces', given.replaces)
  const chip = chipId(cplc)
  const scope = scopeOf(actor)
  return db.transaction().execute(async (tx) => {
    await holdChip(tx, chip)
    const successor = await findSuccessor(tx, cplc, scope)
    if (successor !== undefined)
      throw fieldProblem(
        'already_exists',
        'cplc',
        `This is a former CPLC of the element that now has ${successor}.`,
      )
    if (replaces !== undefined) return takeOver(tx, actor, { cplc, former: replaces, state })
    const same = await findChip(tx, chip, scope)
    if (same === cplc) throw alreadyKnown(cplc)
    if (same !== undefined && !isOtherChip && !(await findElement(tx, cplc, everything)))
      throw fieldProblem(
        'chip_known',
        'cplc',
        `The chip ${chip} is known as the element ${same}. If it was personalised again, send that CPLC as replaces; if it is another chip, send isOtherChip.`,
      )
    if (!(await insertElement(tx, { cplc, state, serviceId: serviceOf(scope) })))
      throw alreadyKnown(cplc)
    return audited(tx, actor, 'element.create', cplc)
  })
}

const alreadyKnown = (cplc: string) =>
  fieldProblem('already_exists', 'cplc', `The element ${cplc} is already registered.`)

/** The new CPLC replaces the old one, which becomes history. */
async function takeOver(
  db: MapleDb,
  actor: AnyActor,
  { cplc, former, state }: Pick<SecureElement, 'cplc' | 'state'> & { former: string },
): Promise<SecureElement> {
  if (chipId(former) !== chipId(cplc))
    throw fieldProblem(
      'chip_differs',
      'replaces',
      `${former} is of the chip ${chipId(former)}, the new CPLC of the chip ${chipId(cplc)}: a chip keeps its id when it is personalised again.`,
    )
  if (former === cplc)
    throw fieldProblem('already_exists', 'replaces', 'An element cannot replace itself.')
  // In one order, so as not to deadlock.
  const scope = scopeOf(actor)
  const found = new Map<string, ElementFacts | undefined>()
  for (const each of [cplc, former].toSorted()) found.set(each, await lockElement(db, each, scope))
  const [before, known] = [found.get(former), found.get(cplc)]
  if (!before) throw new ProblemError('not_found', `There is no element ${former} to replace.`)
  if (known?.device && before.device)
    throw fieldProblem(
      'element_attached',
      'replaces',
      `Both are attached, ${former} to device ${before.device.id} and ${cplc} to device ${known.device.id}: one chip cannot be in two devices. Detach one of them first.`,
    )
  // Another owner's element keeps its CPLC.
  if (!known && (await findElement(db, cplc, everything))) throw alreadyKnown(cplc)
  if (known) await mergeElement(db, { cplc, former })
  else await renameElement(db, { cplc, former })
  if (!known && state !== 'unknown') await changeElement(db, cplc, { state })
  await record(db, actor, 'element.replace', former, { before: { cplc: former }, after: { cplc } })
  return audited(db, actor, 'element.replace', cplc, before)
}

/** @throws ProblemError `not_found`, `edit_conflict` or `element_attached`. */
export function removeElement(
  { db }: MapleContext,
  actor: AnyActor,
  { cplc: given, revision }: ElementAt,
): Promise<null> {
  const cplc = readCplc('cplc', given)
  return db.transaction().execute(async (tx) => {
    const before = atRevision(await lockElement(tx, cplc, scopeOf(actor)), revision, 'element')
    assertAllowed(actor, 'element.delete', before)
    await deleteElement(tx, cplc)
    await record(tx, actor, 'element.delete', cplc, { before })
    return null
  })
}

/** An element as the caller names it, and the revision that a change is based on. */
export interface ElementAt {
  cplc: string
  revision: number | undefined
}

/**
 * Unblocks an element after keys that did not match.
 * @throws ProblemError `not_found` or `transition_refused`.
 */
export function unblockElement(
  { db }: Pick<MapleContext, 'db'>,
  actor: AnyActor,
  { cplc: given }: { cplc: string },
): Promise<{ cplc: string; state: string }> {
  const cplc = readCplc('cplc', given)
  return db.transaction().execute(async (tx) => {
    const before = atRevision(await lockElement(tx, cplc, scopeOf(actor)), undefined, 'element')
    assertAllowed(actor, 'element.unblock', before)
    await changeElement(tx, cplc, { state: 'unknown' })
    await record(tx, actor, 'element.unblock', cplc, {
      before: { state: before.state },
      after: { state: 'unknown' },
    })
    return { cplc, state: 'unknown' }
  })
}

/** Records in these elements' timelines what a device gained and lost. */
export async function recordAttachments(
  db: MapleDb,
  actor: AnyActor,
  deviceId: string,
  { attached = [], detached = [] }: { attached?: readonly string[]; detached?: readonly string[] },
): Promise<void> {
  for (const cplc of detached)
    await record(db, actor, 'element.detach', cplc, {
      before: { deviceId },
      after: { deviceId: null },
    })
  for (const cplc of attached)
    await record(db, actor, 'element.attach', cplc, {
      before: { deviceId: null },
      after: { deviceId },
    })
}

/** Writes the change into the audit trail and returns the element as it is now. */
export async function audited(
  db: MapleDb,
  actor: AnyActor,
  action: Parameters<typeof record>[2],
  cplc: string,
  before?: ElementFacts,
): Promise<SecureElement> {
  const after = await findElement(db, cplc, everything)
  if (!after) throw new Error(`element ${cplc} vanished inside its tx`)
  await record(db, actor, action, cplc, { before, after })
  return withRights(actor, after)
}

/** The element with the actor's rights on it. */
export const withRights = (actor: AnyActor, element: ElementFacts): SecureElement => ({
  ...element,
  // Another service provider may have an element with the same chip.
  conflicts: serviceOf(scopeOf(actor)) === null ? element.conflicts : [],
  rights: rightsOf(actor, element, {
    delete: 'element.delete',
    hsm: 'element.hsm',
    terminate: 'element.terminate',
  }),
})
