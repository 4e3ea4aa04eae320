import { randomUUID } from 'node:crypto'
import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { Rotation } from '@grove/contract/maple/card/key'
import { isOpenRotation } from '@grove/contract/maple/card/key.rules'
import type { Custody, KeyContext } from './key-provider.ts'
import type { Actor } from '../../../../core/actor.ts'
import { invalidField, ProblemError } from '../../../../core/http/problem.ts'
import type { JobQueue } from '../../../../core/jobs/job-queue.ts'
import { everything, scopeOf } from '../../../../core/scope.ts'
import { readCplc } from '../../base/cplc-text.ts'
import { turnOf } from '../../base/job-turn.ts'
import type { CardJobs } from '../jobs.ts'
import { domainsOf } from '../domain/domain.queries.ts'
import { findElement } from '../../fleet/element/element.queries.ts'
import { lockElementFor } from '../session/session.queries.ts'
import type { MapleDb } from '../../base/tables.ts'
import { storedDomain } from './given-keys.ts'
import { setsOf, type StoredKeySet } from './key.queries.ts'
import { nearestFirst, providerOf } from './key-source.ts'
import { keepGiven, readTarget, versionOf, type NewVersion } from './rotation-target.ts'
import {
  findRotation,
  hasLiveJob,
  hasOpenRotation,
  insertRotation,
  setJob,
  type RotationFacts,
  type StoredTarget,
} from './rotation.queries.ts'

type Context = KeyContext & { jobs: JobQueue<CardJobs> }

/**
 * Starts to give a card's domain new keys.
 * @throws ProblemError `not_found`, `invalid_request`, `already_exists`, `key_missing`,
 * `rotation_running`, `element_blocked`, `vault_unavailable` or `hsm_unavailable`.
 */
export function askRotation(
  context: Context,
  actor: Actor,
  {
    version,
    newVersion,
    target = { kind: 'random' },
    ...given
  }: BodyOf<Calls['POST /api/maple/se/keys/rotation']>,
): Promise<Rotation> {
  const cplc = readCplc('cplc', given.cplc)
  return context.db.transaction().execute(async (tx) => {
    if (!(await lockElementFor(tx, cplc, scopeOf(actor))))
      throw new ProblemError('not_found', `There is no element ${cplc}.`)
    const element = await findElement(tx, cplc, everything)
    if (element?.state === 'blocked')
      throw new ProblemError('element_blocked', 'The element is blocked. Clear the block first.')
    const domain = await storedDomain(tx, cplc, given.domain)
    const active = await setsOf(tx, cplc, ['active'])
    const place = { cplc, domain }
    const set = version === undefined ? undefined : ofDomain(active, domain, version)
    const opening = set ?? (await openingFirst(tx, active, place))
    const custody = set?.custody ?? (element?.hsm ? 'hsm' : 'vault')
    const { protocol } = opening
    const opened = {
      ...place,
      set,
      protocol,
      custody,
      newVersion,
      createdBy: actor.id,
      target: await readTarget(tx, actor, { ...target, protocol, custody }),
    }
    const id = await openRotation(context, tx, opened)
    if (target.kind === 'imported') await keepGiven(context, tx, { ...opened, id, target })
    const jobId = await context.jobs.enqueue(tx, 'key.put', { id }, turnOf(actor))
    await setJob(tx, id, jobId)
    return shown(await findRotation(tx, id))
  })
}

function ofDomain(
  active: readonly StoredKeySet[],
  domain: string | null,
  version: number,
): StoredKeySet {
  const set = active.find((each) => each.domain === domain && each.version === version)
  if (set) return set
  const whose = domain === null ? '' : ` of ${domain}`
  throw new ProblemError('key_missing', `No keys of version ${version}${whose} are in use.`)
}

/** The keys with which a domain without its own keys is opened. */
async function openingFirst(
  tx: MapleDb,
  active: readonly StoredKeySet[],
  { cplc, domain }: { cplc: string; domain: string | null },
): Promise<StoredKeySet> {
  if (domain === null || active.some((set) => set.domain === domain))
    throw invalidField('version', 'required', 'The domain has keys. Say which version to replace.')
  const known = await domainsOf(tx, cplc)
  if (known.length > 0 && !known.some(({ aid }) => aid === domain))
    throw new ProblemError('not_found', `The card had no domain ${domain} when it was last read.`)
  const [opening] = nearestFirst(active, null)
  if (opening) return opening
  throw new ProblemError(
    'key_missing',
    'The keys of the domains above it are unknown, so nothing can be sent to it. Import them first.',
  )
}

interface OpenedRotation extends NewVersion {
  cplc: string
  domain: string | null
  custody: Custody
  target?: StoredTarget
  createdBy: string
  approvalId?: string | null
}

/** Writes the first line of the journal. The element must be locked. */
export async function openRotation(
  { keys, now }: KeyContext,
  tx: MapleDb,
  {
    cplc,
    domain,
    set,
    custody,
    target = { kind: 'random' },
    createdBy,
    approvalId = null,
    ...versions
  }: OpenedRotation,
): Promise<string> {
  providerOf(keys, custody)
  if (await hasOpenRotation(tx, cplc))
    throw new ProblemError(
      'rotation_running',
      'The keys of this element are being changed, or it is unknown which the card has. Query the card first.',
    )
  const newVersion = versionOf({ set, ...versions })
  const isTaken = (await setsOf(tx, cplc, ['active'])).some(
    (each) => each.domain === domain && each.version === newVersion && each.id !== set?.id,
  )
  if (isTaken)
    throw new ProblemError('key_missing', `Version ${newVersion} is in use by another key set.`)
  const id = randomUUID()
  await insertRotation(tx, {
    id,
    cplc,
    domain,
    custody,
    newVersion,
    target,
    createdBy,
    approvalId,
    oldSet: set?.id ?? null,
    oldVersion: set?.version ?? null,
    at: new Date(now()).toISOString(),
  })
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
    const jobId = await jobs.enqueue(tx, 'key.put', { id }, { ...turnOf(actor), key: id })
    if (jobId !== null) await setJob(tx, id, jobId)
    return shown(await findRotation(tx, id))
  })
}

export function shown(found: RotationFacts | undefined): Rotation {
  if (!found) throw new Error('the rotation was locked with its element')
  const { cplc: _cplc, oldSet: _oldSet, newSet: _newSet, target, ...rotation } = found
  return { ...rotation, target: { kind: target.kind } }
}
