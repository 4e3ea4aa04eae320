import { randomBytes, randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import { defaultCardKind, maxCards } from '@grove/contract/maple/card/software-card.rules'
import type { Actor } from '../../../../core/actor.ts'
import { atRevision } from '../../../../core/http/at-revision.ts'
import { fieldProblem, invalidField, ProblemError } from '../../../../core/http/problem.ts'
import { storedName } from '../../../../core/http/stored-name.ts'
import {
  everything,
  isInScope,
  scopeOf,
  scopeOfService,
  serviceOf,
} from '../../../../core/scope.ts'
import { cardEvents as events } from '../context.ts'
import { record } from '../../fleet/context.ts'
import type { MapleContext } from '../../base/context.ts'
import {
  attachElements,
  changeDevice,
  detachElements,
  findDevice,
  insertDevice,
} from '../../fleet/device/device.queries.ts'
import { readCplc } from '../../base/cplc-text.ts'
import {
  changeElement,
  deleteElement,
  findElement,
  insertElement,
} from '../../fleet/element/element.queries.ts'
import { recordAttachments } from '../../fleet/element/element.service.ts'
import type { CardState } from '@grove/secure-element/card/card-state'
import type { KeyContext } from '../key/key-provider.ts'
import { retireKeySets } from '../key/key.queries.ts'
import { deletePurposeKeysOf } from '../purpose-key/purpose-key.queries.ts'
import { addKeySet } from '../key/key-source.ts'
import { assertOpenService } from '../../access/service/service.service.ts'
import type { MapleDb } from '../../base/tables.ts'
import { openCard, sealCard } from './card-keys.ts'
import {
  cardList,
  changeCard,
  countCards,
  findCard,
  insertCard,
  lockCard,
  type CardRow,
} from './software-card.queries.ts'
import {
  cardFaults,
  cardOf,
  cardOfKind,
  numbersOf,
  renumbered,
  elementStateOf,
  keySetsOf,
} from './software-card.rules.ts'

/** A card as the caller names it, and the revision that a change is based on. */
export interface CardAt {
  id: string
  revision?: number | undefined
}

/** @throws BadCursorError */
export async function listCards(
  { db }: MapleContext,
  actor: Actor,
  query: QueryOf<Calls['GET /api/maple/software_cards']>,
): Promise<ResponseOf<Calls['GET /api/maple/software_cards']>> {
  const page = await cardList.read(db, query, scopeOf(actor))
  return { ...page, items: page.items.map(cardOf) }
}

/**
 * Creates a card with its secure element, in a separate device.
 * @throws ProblemError `already_exists`, `limit_reached` or `service_suspended`.
 */
export function createCard(
  context: KeyContext,
  actor: Actor,
  { kind = defaultCardKind, seed = randomBytes(16).toString('hex'), ...given }: NewCard,
): Promise<SoftwareCard> {
  const scope = scopeOf(actor)
  const { serviceId = serviceOf(scope) } = given
  if (!isInScope(scope, serviceId))
    throw invalidField('serviceId', 'exists', `There is no service provider ${serviceId}.`)
  const numbers = numbersOf(kind, seed, serviceId)
  const { cplc } = numbers
  const name = storedName('name', given.name)
  const state = cardOfKind(kind, seed, numbers)
  return context.db
    .transaction()
    .execute((tx) => addCard(context, tx, actor, { cplc, name, kind, seed, serviceId, state }))
}

type NewCard = BodyOf<Calls['POST /api/maple/software_cards']>

/** @throws ProblemError `not_found`, `limit_reached` or `service_suspended`. */
export function copyCard(
  context: KeyContext,
  actor: Actor,
  { id, name: given }: { id: string; name: string },
): Promise<SoftwareCard> {
  const name = storedName('name', given)
  return context.db.transaction().execute(async (tx) => {
    const before = atRevision(
      await lockCard(tx, scopeOf(actor), readCplc('id', id)),
      undefined,
      what,
    )
    const { kind, serviceId } = before
    const seed = randomBytes(16).toString('hex')
    const numbers = numbersOf(kind, seed, serviceId)
    const { cplc } = numbers
    const state = renumbered(await openCard(context.keys.vault, before), seed, numbers)
    return addCard(context, tx, actor, { cplc, name, kind, seed, serviceId, state })
  })
}

async function addCard(
  context: KeyContext,
  tx: MapleDb,
  actor: Actor,
  card: Pick<CardRow, 'cplc' | 'name' | 'kind' | 'seed' | 'serviceId'> & { state: CardState },
): Promise<SoftwareCard> {
  const { cplc, name, serviceId, state } = card
  if (serviceId !== null) await assertOpenService(tx, serviceId)
  if ((await countCards(tx, serviceId)) >= maxCards)
    throw new ProblemError('limit_reached', `There are ${maxCards} software cards. Delete one.`)
  if (!(await insertElement(tx, { cplc, state: elementStateOf(state), serviceId })))
    throw fieldProblem('already_exists', 'seed', 'There is already a card with this seed.')
  const deviceId = randomUUID()
  await insertDevice(tx, deviceId, {
    name,
    type: 'virtual',
    state: 'accepted',
    innerId: null,
    accountId: null,
    serviceId,
    productId: null,
    tags: [],
    attributes: {},
  })
  await attachElements(tx, deviceId, [cplc], scopeOfService(serviceId))
  await insertCard(tx, { ...card, ...(await sealCard(context.keys.vault, state)) })
  await keepKeys(context, tx, card)
  await record(tx, actor, 'device.create', deviceId, { after: await findDevice(tx, deviceId) })
  await record(tx, actor, 'element.create', cplc, {
    after: await findElement(tx, cplc, everything),
  })
  await recordAttachments(tx, actor, deviceId, { attached: [cplc] })
  return audited(tx, actor, 'software_card.create', cplc)
}

/**
 * Renames a card, or breaks and mends it. A change that changes nothing leaves the revision.
 * @throws ProblemError `not_found` or `edit_conflict`.
 */
export function updateCard(
  { db }: MapleContext,
  actor: Actor,
  { change, ...at }: CardAt & { change: BodyOf<Calls['PUT /api/maple/software_cards']> },
): Promise<SoftwareCard> {
  return db.transaction().execute(async (tx) => {
    const before = await held(tx, actor, at)
    const faults = change.faults ? cardFaults(change.faults) : before.faults
    const name = change.name === undefined ? before.name : storedName('name', change.name)
    const isSame = isDeepStrictEqual(faults, before.faults)
    if (name === before.name && isSame) return cardOf(before)
    await changeCard(tx, before.cplc, { name, faults })
    const action = isSame ? 'software_card.update' : 'software_card.break'
    return audited(tx, actor, action, before.cplc, before)
  })
}

/** @throws ProblemError `not_found` or `edit_conflict`. */
export function resetCard(context: KeyContext, actor: Actor, at: CardAt): Promise<SoftwareCard> {
  return context.db.transaction().execute(async (tx) => {
    const before = await held(tx, actor, at)
    const { kind, seed, serviceId, cplc } = before
    const state = cardOfKind(kind, seed, { ...numbersOf(kind, seed, serviceId), cplc })
    return putState(context, tx, actor, before, { state, action: 'software_card.reset' })
  })
}

/** Gives a card another state, and repairs it; Grove then knows its keys. */
export async function putState(
  context: KeyContext,
  tx: MapleDb,
  actor: Actor,
  before: CardRow,
  { state, action }: { state: CardState; action: CardAction },
): Promise<SoftwareCard> {
  const card = await sealCard(context.keys.vault, state)
  await changeCard(tx, before.cplc, { name: before.name, faults: {}, card })
  await changeElement(tx, before.cplc, { state: elementStateOf(state) })
  await retireKeySets(tx, before.cplc)
  await deletePurposeKeysOf(tx, before.cplc)
  await keepKeys(context, tx, { cplc: before.cplc, state })
  return audited(tx, actor, action, before.cplc, before)
}

async function keepKeys(
  context: KeyContext,
  tx: MapleDb,
  { cplc, state }: { cplc: string; state: CardState },
): Promise<void> {
  for (const set of keySetsOf(state))
    await addKeySet(context, tx, { cplc, ...set, origin: 'delivered' })
}

/**
 * Deletes a card with its element; its device is retired, unless it has other elements.
 * @throws ProblemError `not_found` or `edit_conflict`.
 */
export function removeCard({ db }: MapleContext, actor: Actor, at: CardAt): Promise<null> {
  return db.transaction().execute(async (tx) => {
    const before = await held(tx, actor, at)
    const { cplc, deviceId } = before
    const element = await findElement(tx, cplc, everything)
    // First, while the card still tells the events' service provider.
    await events.record(tx, actor, 'software_card.delete', cplc, { before: cardOf(before) })
    await record(tx, actor, 'element.delete', cplc, { before: element })
    if (deviceId !== null) {
      await recordAttachments(tx, actor, deviceId, { detached: [cplc] })
      await detachElements(tx, deviceId, [cplc])
      await retire(tx, actor, deviceId)
    }
    await deleteElement(tx, cplc)
    return null
  })
}

async function retire(tx: MapleDb, actor: Actor, deviceId: string): Promise<void> {
  const before = await findDevice(tx, deviceId)
  const isLeft = before?.type === 'virtual' && before.elements.length === 0
  if (!isLeft || before.state === 'retired') return
  await changeDevice(tx, deviceId, { state: 'retired' })
  const after = await findDevice(tx, deviceId)
  await record(tx, actor, 'device.retire', deviceId, { before, after })
}

type CardAction = Parameters<typeof events.record>[2]
const what = 'software card'

/** A card of the caller's, locked for the transaction. */
export async function held(tx: MapleDb, actor: Actor, { id, revision }: CardAt): Promise<CardRow> {
  return atRevision(await lockCard(tx, scopeOf(actor), readCplc('id', id)), revision, what)
}

/** A card of the caller's. @throws ProblemError `not_found`. */
export async function found(db: MapleDb, actor: Actor, id: string): Promise<CardRow> {
  return atRevision(await findCard(db, scopeOf(actor), readCplc('id', id)), undefined, what)
}

async function audited(
  tx: MapleDb,
  actor: Actor,
  action: CardAction,
  cplc: string,
  before?: CardRow,
): Promise<SoftwareCard> {
  const row = await findCard(tx, everything, cplc)
  if (!row) throw new Error(`software card ${cplc} vanished inside its transaction`)
  const after = cardOf(row)
  await events.record(tx, actor, action, cplc, { before: before && cardOf(before), after })
  return after
}
