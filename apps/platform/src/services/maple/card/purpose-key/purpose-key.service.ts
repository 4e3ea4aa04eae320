import { randomUUID } from 'node:crypto'
import type { BodyOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { PurposeKey } from '@grove/contract/maple/card/purpose-key'
import { isOpenPurposeKey, kindsFor } from '@grove/contract/maple/card/purpose-key.rules'
import { purposeVersions } from '@grove/secure-element/host/delegation'
import type { Actor } from '../../../../core/actor.ts'
import { invalidField, ProblemError } from '../../../../core/http/problem.ts'
import type { JobQueue } from '../../../../core/jobs/job-queue.ts'
import { everything, scopeOf } from '../../../../core/scope.ts'
import { readCplc } from '../../base/cplc-text.ts'
import { turnOf } from '../../base/job-turn.ts'
import type { MapleDb } from '../../base/tables.ts'
import { findElement } from '../../fleet/element/element.queries.ts'
import { purposeKeyEvents as events } from '../context.ts'
import type { CardJobs } from '../jobs.ts'
import { storedDomain } from '../key/given-keys.ts'
import type { KeyContext } from '../key/key-provider.ts'
import { hasOpenRotation } from '../key/rotation.queries.ts'
import { lockElementFor } from '../session/session.queries.ts'
import { readMaterial } from './key-material.ts'
import * as queries from './purpose-key.queries.ts'

type Context = KeyContext & { jobs: JobQueue<CardJobs> }

/** @throws ProblemError `not_found`. */
export async function listPurposeKeys(
  { db }: KeyContext,
  actor: Actor,
  given: { cplc: string },
): Promise<ResponseOf<Calls['GET /api/maple/se/keys/purpose']>> {
  const cplc = readCplc('cplc', given.cplc)
  await db.transaction().execute((tx) => assertElement(tx, actor, cplc))
  return { items: await queries.listPurposeKeys(db, cplc) }
}

async function assertElement(tx: MapleDb, actor: Actor, cplc: string): Promise<void> {
  if (!(await lockElementFor(tx, cplc, scopeOf(actor))))
    throw new ProblemError('not_found', `There is no element ${cplc}.`)
}

/**
 * Starts to give a domain a key with a purpose, or stores one that it already has.
 * @throws ProblemError `not_found`, `invalid_request`, `rotation_running`, `element_blocked` or
 * `vault_unavailable`.
 */
export async function askPurposeKey(
  { db, jobs, keys: { vault } }: Context,
  actor: Actor,
  {
    purpose,
    kind,
    key,
    keyLength,
    isOnCard = false,
    ...given
  }: BodyOf<Calls['POST /api/maple/se/keys/purpose']>,
): Promise<PurposeKey> {
  const cplc = readCplc('cplc', given.cplc)
  if (!kindsFor[purpose].includes(kind))
    throw invalidField(
      'kind',
      'conflict',
      'Cards make receipts with a secret key: choose AES, or DES for a card with SCP02.',
    )
  if (isOnCard && key === undefined)
    throw invalidField('key', 'required', 'Give the key that the card has.')
  const { secret, ...material } = readMaterial({ kind, key, keyLength })
  const id = randomUUID()
  const sealed = secret === null ? null : await vault.keepText(id, secret)
  return db.transaction().execute(async (tx) => {
    await assertElement(tx, actor, cplc)
    const element = await findElement(tx, cplc, everything)
    if (element?.state === 'blocked')
      throw new ProblemError('element_blocked', 'The element is blocked. Clear the block first.')
    await assertNothingOpen(tx, cplc)
    const domain = await storedDomain(tx, cplc, given.domain)
    const row = { ...material, id, cplc, domain, purpose, kind, sealed }
    await queries.insertPurposeKey(tx, {
      ...row,
      version: purposeVersions[purpose],
      origin: key === undefined ? 'generated' : 'imported',
      createdBy: actor.id,
    })
    if (isOnCard) {
      const stored = await queries.findPurposeKey(tx, id)
      if (stored) await queries.activatePurposeKey(tx, stored)
      const after = await shown(tx, cplc, id)
      await events.record(tx, actor, 'purpose_key.import', cplc, { after })
      return after
    }
    const jobId = await jobs.enqueue(tx, 'key.purpose', { id }, turnOf(actor))
    await queries.setPurposeKeyJob(tx, id, jobId)
    const after = await shown(tx, cplc, id)
    await events.record(tx, actor, 'purpose_key.put', cplc, { after })
    return after
  })
}

async function assertNothingOpen(tx: MapleDb, cplc: string): Promise<void> {
  if ((await hasOpenRotation(tx, cplc)) || (await queries.hasOpenPurposeKey(tx, cplc)))
    throw new ProblemError(
      'rotation_running',
      'Another key of this element is being sent. Wait until that has ended.',
    )
}

async function shown(db: MapleDb, cplc: string, id: string): Promise<PurposeKey> {
  const found = (await queries.listPurposeKeys(db, cplc)).find((each) => each.id === id)
  if (!found) throw new Error('the key was just written')
  return found
}

/** Sends a key again. @throws ProblemError `not_found` or `transition_refused`. */
export function repeatPurposeKey(
  { db, jobs }: Context,
  actor: Actor,
  { id }: { id: string },
): Promise<PurposeKey> {
  return db.transaction().execute(async (tx) => {
    const { cplc, state } = await visible(tx, actor, id)
    if (!isOpenPurposeKey(state))
      throw new ProblemError('transition_refused', 'It is known whether the card has this key.')
    const jobId = await jobs.enqueue(tx, 'key.purpose', { id }, { ...turnOf(actor), key: id })
    if (jobId !== null) await queries.setPurposeKeyJob(tx, id, jobId)
    return shown(tx, cplc, id)
  })
}

/** @throws ProblemError `not_found`. */
export async function forgetPurposeKey(
  { db }: KeyContext,
  actor: Actor,
  { id }: { id: string },
): Promise<null> {
  return db.transaction().execute(async (tx) => {
    const { cplc, state, purpose, domain } = await visible(tx, actor, id)
    await queries.deletePurposeKey(tx, id)
    await events.record(tx, actor, 'purpose_key.forget', cplc, {
      before: { id, purpose, domain, state },
    })
    return null
  })
}

/** The refusal does not name another owner's element. */
async function visible(tx: MapleDb, actor: Actor, id: string): Promise<queries.StoredPurposeKey> {
  const found = await queries.findPurposeKey(tx, id)
  if (found && (await lockElementFor(tx, found.cplc, scopeOf(actor)))) return found
  throw new ProblemError('not_found', 'There is no such key.')
}
