import type { CardSnapshot, SoftwareCard } from '@grove/contract/maple/card/software-card'
import { maxSnapshots } from '@grove/contract/maple/card/software-card.rules'
import { lifeCycleState } from '@grove/secure-element/life-cycle'
import type { Actor } from '../../../../core/actor.ts'
import { fieldProblem, ProblemError } from '../../../../core/http/problem.ts'
import { storedName } from '../../../../core/http/stored-name.ts'
import { scopeOf } from '../../../../core/scope.ts'
import { cardEvents as events } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import type { KeyContext } from '../key/key-provider.ts'
import type { MapleDb } from '../../base/tables.ts'
import { openCard, sealCard } from './card-keys.ts'
import {
  deleteSnapshot,
  findSnapshot,
  insertSnapshot,
  readSnapshots,
  type SnapshotRow,
} from './software-card.queries.ts'
import { found, held, putState } from './software-card.service.ts'

const snapshotOf = ({ state, sealed: _sealed, ...snapshot }: SnapshotRow): CardSnapshot => ({
  ...snapshot,
  lifeCycle: lifeCycleState('card', state.lifeCycle) ?? 'opReady',
})

/** @throws ProblemError `not_found`. */
export async function listSnapshots(
  { db }: MapleContext,
  actor: Actor,
  { id }: { id: string },
): Promise<{ items: CardSnapshot[] }> {
  const { cplc } = await found(db, actor, id)
  return { items: (await readSnapshots(db, cplc)).map(snapshotOf) }
}

/** @throws ProblemError `not_found`, `already_exists` or `limit_reached`. */
export function createSnapshot(
  { db, keys: { vault } }: KeyContext,
  actor: Actor,
  { id, name: given }: { id: string; name: string },
): Promise<CardSnapshot> {
  const name = storedName('name', given)
  return db.transaction().execute(async (tx) => {
    const card = await held(tx, actor, { id })
    const { cplc } = card
    if ((await readSnapshots(tx, cplc)).length >= maxSnapshots)
      throw new ProblemError(
        'limit_reached',
        `The card has ${maxSnapshots} snapshots. Delete one first.`,
      )
    const copy = await sealCard(vault, await openCard(vault, card))
    const made = await insertSnapshot(tx, { ...copy, cplc, name })
    if (!made)
      throw fieldProblem('already_exists', 'name', `The card has a snapshot named ${name}.`)
    const after = snapshotOf(made)
    await events.record(tx, actor, 'software_card.snapshot', cplc, { after })
    return after
  })
}

/** @throws ProblemError `not_found`. */
export function removeSnapshot(
  { db }: MapleContext,
  actor: Actor,
  { id }: { id: string },
): Promise<null> {
  return db.transaction().execute(async (tx) => {
    const before = snapshotOf(await ownSnapshot(tx, actor, id))
    await deleteSnapshot(tx, id)
    await events.record(tx, actor, 'software_card.forget', before.cardId, { before })
    return null
  })
}

/** @throws ProblemError `not_found` or `edit_conflict`. */
export function restoreCard(
  context: KeyContext,
  actor: Actor,
  { snapshotId, revision }: { snapshotId: string; revision: number | undefined },
): Promise<SoftwareCard> {
  return context.db.transaction().execute(async (tx) => {
    const snapshot = await ownSnapshot(tx, actor, snapshotId)
    const before = await held(tx, actor, { id: snapshot.cardId, revision })
    const state = await openCard(context.keys.vault, snapshot)
    return putState(context, tx, actor, before, { state, action: 'software_card.restore' })
  })
}

async function ownSnapshot(tx: MapleDb, actor: Actor, id: string): Promise<SnapshotRow> {
  const snapshot = await findSnapshot(tx, scopeOf(actor), id)
  if (!snapshot) throw new ProblemError('not_found', 'There is no such snapshot.')
  return snapshot
}
