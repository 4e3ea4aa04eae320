import { randomUUID } from 'node:crypto'
import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { Rotation } from '@grove/contract/maple/card/key'
import { isOpenRotation } from '@grove/contract/maple/card/key.rules'
import type { Custody, KeyContext } from './key-provider.ts'
import type { Actor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import type { JobQueue } from '../../../../core/jobs/job-queue.ts'
import { scopeOf } from '../../../../core/scope.ts'
import { readCplc } from '../../base/cplc-text.ts'
import { turnOf } from '../../base/job-turn.ts'
import type { CardJobs } from '../jobs.ts'
import { lockElementFor } from '../session/session.queries.ts'
import type { MapleDb } from '../../base/tables.ts'
import { setsOf, type StoredKeySet } from './key.queries.ts'
import { providerOf } from './key-source.ts'
import {
  findRotation,
  hasLiveJob,
  hasOpenRotation,
  insertRotation,
  setJob,
  type RotationFacts,
} from './rotation.queries.ts'

type Context = KeyContext & { jobs: JobQueue<CardJobs> }

/** @throws ProblemError `not_found`, `key_missing`, `rotation_running`, `element_blocked` or `hsm_unavailable`. */
export function askRotation(
  context: Context,
  actor: Actor,
  { version, newVersion, ...given }: BodyOf<Calls['POST /api/maple/se/keys/rotation']>,
): Promise<Rotation> {
  const cplc = readCplc('cplc', given.cplc)
  return context.db.transaction().execute(async (tx) => {
    const element = await lockElementFor(tx, cplc, scopeOf(actor))
    if (!element) throw new ProblemError('not_found', `There is no element ${cplc}.`)
    if (element.state === 'blocked')
      throw new ProblemError('element_blocked', 'The element is blocked. Clear the block first.')
    const set = (await setsOf(tx, cplc, ['active'])).find((each) => each.version === version)
    if (!set) throw new ProblemError('key_missing', `No keys of version ${version} are in use.`)
    const { custody } = set
    const id = await openRotation(context, tx, { set, custody, newVersion, createdBy: actor.id })
    const jobId = await context.jobs.enqueue(tx, 'key.rotate', { id }, turnOf(actor))
    await setJob(tx, id, jobId)
    return shown(await findRotation(tx, id))
  })
}

/** Writes the first line of the journal. The element must be locked. */
export async function openRotation(
  { keys, now }: KeyContext,
  tx: MapleDb,
  {
    set,
    custody,
    newVersion = set.version === 0xff ? 1 : set.version,
    createdBy,
    approvalId = null,
  }: {
    set: StoredKeySet
    custody: Custody
    newVersion?: number | undefined
    createdBy: string
    approvalId?: string | null
  },
): Promise<string> {
  const { cplc, version: oldVersion } = set
  providerOf(keys, custody)
  if (await hasOpenRotation(tx, cplc))
    throw new ProblemError(
      'rotation_running',
      'The keys of this element are being changed, or it is unknown which the card has. Query the card first.',
    )
  const isTaken = (await setsOf(tx, cplc, ['active'])).some(
    ({ id, version }) => version === newVersion && id !== set.id,
  )
  if (isTaken)
    throw new ProblemError('key_missing', `Version ${newVersion} is in use by another key set.`)
  const id = randomUUID()
  const at = new Date(now()).toISOString()
  const row = { id, cplc, oldSet: set.id, custody, oldVersion, newVersion, createdBy }
  await insertRotation(tx, { ...row, approvalId, at })
  return id
}

/** Queries the card for its keys. @throws ProblemError `not_found` or `transition_refused`. */
export function resumeRotation(
  { db, jobs }: Context,
  actor: Actor,
  { id }: { id: string },
): Promise<Rotation> {
  return db.transaction().execute(async (tx) => {
    const found = await findRotation(tx, id)
    const element = found && (await lockElementFor(tx, found.cplc, scopeOf(actor)))
    if (!element) throw new ProblemError('not_found', 'There is no such rotation.')
    if (!isOpenRotation(found.step))
      throw new ProblemError('transition_refused', 'It is known which keys the card has.')
    // Its job may have been killed as often as it may run.
    if (found.step !== 'unknown' && (await hasLiveJob(tx, id)))
      throw new ProblemError('transition_refused', 'The keys are being changed. Wait for the job.')
    const jobId = await jobs.enqueue(tx, 'key.rotate', { id }, { ...turnOf(actor), key: id })
    if (jobId !== null) await setJob(tx, id, jobId)
    return shown(await findRotation(tx, id))
  })
}

export function shown(found: RotationFacts | undefined): Rotation {
  if (!found) throw new Error('the rotation was locked with its element')
  const { cplc: _cplc, oldSet: _oldSet, newSet: _newSet, ...rotation } = found
  return rotation
}
