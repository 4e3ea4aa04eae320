import type { AppletOperation } from '@grove/contract/maple/card/applet-operation'
import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import { overTheCard } from '@grove/secure-element/privileges'
import { maxPreflight, maxTargets } from '@grove/contract/maple/card/applet-operation.rules'
import type { Actor } from '../../../../core/actor.ts'
import { invalidField, ProblemError } from '../../../../core/http/problem.ts'
import type { JobQueue } from '../../../../core/jobs/job-queue.ts'
import { everything, scopeOf, serviceOf, type Scope } from '../../../../core/scope.ts'
import type { FleetContext } from '../../fleet/context.ts'
import { appletEvents as events } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { readCplc } from '../../base/cplc-text.ts'
import { ownerOf, turnOf } from '../../base/job-turn.ts'
import type { CardJobs } from '../jobs.ts'
import { assertAllowed, rightsOf } from '../card.policy.ts'
import { maxNamedCards, needsApproval } from '../../access/approval/approval.service.ts'
import { needsSigning } from './needs-signing.queries.ts'
import { commandsToSign } from './commands-to-sign.ts'
import { assertRight } from '../../base/right.ts'
import { required } from './applet.service.ts'
import { readVerifiedCap } from './cap-verification.ts'
import { elementsOfProfile, knownElements } from './known-element.queries.ts'
import * as queries from './operation.queries.ts'
import { finding, findingsOfElement, isRefused, planOperation } from './plan-operation.ts'
import { cancelWaiting, targetList } from './target.queries.ts'
import { knowledgeOf } from './target-knowledge.ts'

export type OperationContext = MapleContext & { jobs: JobQueue<CardJobs> }

type ById = { id: string }
type Instances = BodyOf<Calls['POST /api/maple/applets/{id}/operation']>['instances']
type Preflight = Calls['POST /api/maple/applets/{id}/preflight']

/** Predicts refusals of elements, from Grove's records. @throws ProblemError `not_found`. */
export async function preflight(
  { db, objects }: Pick<FleetContext, 'db' | 'objects'>,
  actor: Actor,
  { id, kind, instances, domain: given, ...targets }: ById & BodyOf<Preflight>,
): Promise<ResponseOf<Preflight>> {
  const applet = await required(db, actor, id)
  const scope = scopeOf(actor)
  const domain = given?.toUpperCase()
  const cplcs = await targetsOf(db, scope, targets, maxPreflight + 1)
  const known = await knownElements(db, cplcs.slice(0, maxPreflight), {
    appletId: id,
    scope,
    domain,
  })
  assertKnown(cplcs.slice(0, maxPreflight), known, targets.profile)
  const loads = kind === 'install' || kind === 'upgrade'
  const file =
    loads || domain !== undefined ? await readVerifiedCap({ db, objects }, applet) : undefined
  const { cap, flaws = { errors: 0 } } = file ?? {}
  const items = await Promise.all(
    known.map(async (element) => {
      const { facts, contents } = await knowledgeOf(element)
      const findings = findingsOfElement({ kind, applet }, facts)
      const empty = { applications: [], loadFiles: [], freeMemory: null }
      const wanted = { kind, applet, instances, isOurs: element.isOurs, flaws }
      const plan = planOperation(wanted, facts, contents ?? empty)
      if (contents === undefined) findings.push(finding('warning', 'never_read'))
      return {
        cplc: element.cplc,
        isVirtual: facts.isVirtual,
        readAt: element.readAt,
        commands:
          domain !== undefined && cap
            ? await commandsToSign(db, { cplc: element.cplc, domain, applet, cap, plan })
            : [],
        findings: [...findings, ...(isRefused(findings) ? [] : plan.findings)],
      }
    }),
  )
  return { items, isTruncated: cplcs.length > maxPreflight }
}

/** @throws ProblemError `not_found`, `applet_revoked`, `forbidden` or `limit_reached`. */
export function createOperation(
  { db, jobs, now }: OperationContext,
  actor: Actor,
  {
    id,
    kind,
    instances,
    domain,
    tokens,
    dapDomainAid,
    grantsCardPrivileges = false,
    ...targets
  }: ById & BodyOf<Calls['POST /api/maple/applets/{id}/operation']>,
): Promise<AppletOperation> {
  const scope = scopeOf(actor)
  return db.transaction().execute(async (tx) => {
    const applet = await required(tx, actor, id)
    if (kind === 'install' || kind === 'upgrade') assertAllowed(actor, 'applet.install', applet)
    assertCardPrivileges(actor, instances, grantsCardPrivileges)
    const cplcs = await targetsOf(tx, scope, targets, maxTargets + 1)
    if (cplcs.length > maxTargets)
      throw new ProblemError(
        'limit_reached',
        `The profile has more than ${maxTargets} elements. Name them in several operations.`,
      )
    const known = await knownElements(tx, cplcs, { appletId: id, scope })
    assertKnown(cplcs, known, targets.profile)
    const input = {
      instances,
      domain: domain?.toUpperCase(),
      tokens,
      dapDomainAid: dapDomainAid?.toUpperCase(),
    }
    const operationId = await queries.insertOperation(tx, {
      serviceId: serviceOf(scope),
      appletId: id,
      kind,
      input,
      cplcs,
      createdBy: actor.id,
    })
    // Readers of the log could reuse a token.
    const after = { operationId, elements: cplcs.length, ...input, tokens: tokens?.length }
    await events.record(tx, actor, `applet.${kind}`, id, { after })
    if (kind === 'read' || !(await needsSigning(tx, cplcs, input)))
      return enqueue({ db: tx, jobs }, actor, { id: operationId, input })
    const { name, version } = applet
    const { id: approvalId } = await needsApproval({ db: tx, now }, actor, {
      action: 'card.sign',
      subject: operationId,
      input: {
        name: `${name} ${version}`,
        applet: id,
        kind,
        elements: cplcs.length,
        cplcs: cplcs.slice(0, maxNamedCards),
        ...(input.domain !== undefined && { domain: input.domain }),
        ...(instances && {
          instances: instances.map(({ moduleAid, instanceAid, parameters, privileges }) => ({
            aid: instanceAid ?? moduleAid,
            parameters,
            privileges,
          })),
        }),
      },
    })
    await queries.setOperationApproval(tx, operationId, approvalId)
    return read(tx, actor, operationId)
  })
}

/** Starts an operation for which Grove may now sign. Idempotent. */
export function startSigned(
  { db, jobs }: OperationContext,
  { subject: id, requestedBy }: { subject: string; requestedBy: string },
): Promise<void> {
  return db.transaction().execute(async (tx) => {
    const found = await queries.lockOperation(tx, id, everything)
    if (found?.state !== 'queued' || (await queries.hasJob(tx, id))) return
    const { serviceId } = found
    const jobId = await jobs.enqueue(
      tx,
      jobOf(found),
      { id },
      { owner: ownerOf(serviceId, requestedBy), createdBy: requestedBy, scope: serviceId },
    )
    await queries.setOperationJob(tx, id, jobId)
  })
}

/** @throws BadCursorError */
export async function listOperations(
  { db }: MapleContext,
  actor: Actor,
  query: QueryOf<Calls['GET /api/maple/applets/operation']>,
): Promise<ResponseOf<Calls['GET /api/maple/applets/operation']>> {
  const page = await queries.operationList.read(db, query, scopeOf(actor))
  return { ...page, items: page.items.map((operation) => withRights(actor, operation)) }
}

/** @throws ProblemError `not_found`; BadCursorError. */
export async function listTargets(
  { db }: MapleContext,
  actor: Actor,
  { id, ...query }: ById & QueryOf<Calls['GET /api/maple/applets/operation/{id}/target']>,
): Promise<ResponseOf<Calls['GET /api/maple/applets/operation/{id}/target']>> {
  if (!(await queries.findOperation(db, id, scopeOf(actor)))) throw missing(id)
  return targetList.read(db, query, id)
}

/** The current element is finished; later ones stay unchanged. @throws ProblemError */
export function cancelOperation(
  { db }: MapleContext,
  actor: Actor,
  { id }: ById,
): Promise<AppletOperation> {
  return db.transaction().execute(async (tx) => {
    const found = (await queries.lockOperation(tx, id, scopeOf(actor))) ?? notThere(id)
    assertAllowed(actor, 'operation.cancel', found)
    await cancelWaiting(tx, id)
    await events.record(tx, actor, 'applet.cancel', found.applet.id, { after: { operationId: id } })
    return read(tx, actor, id)
  })
}

/** @throws ProblemError `not_found`, `job_not_finished` or `applet_revoked`. */
export function retryOperation(
  { db, jobs }: OperationContext,
  actor: Actor,
  { id }: ById,
): Promise<AppletOperation> {
  return db.transaction().execute(async (tx) => {
    const found = (await queries.lockOperation(tx, id, scopeOf(actor))) ?? notThere(id)
    assertAllowed(actor, 'operation.retry', found)
    if (found.approval && found.approval.state !== 'approved') throw notApproved()
    const applet = await required(tx, actor, found.applet.id)
    if (found.kind === 'install' || found.kind === 'upgrade')
      assertAllowed(actor, 'applet.install', applet)
    assertCardPrivileges(actor, found.input.instances, true)
    await queries.requeueTargets(tx, id)
    await events.record(tx, actor, 'applet.retry', found.applet.id, { after: { operationId: id } })
    return enqueue({ db: tx, jobs }, actor, found)
  })
}

/** A process of the previous release would run it in the name of the issuer. */
const jobOf = ({ input: { domain } }: Pick<queries.OperationRow, 'input'>) =>
  domain === undefined ? 'applet.operation' : 'applet.delegated'

async function enqueue(
  { db, jobs }: Pick<OperationContext, 'db' | 'jobs'>,
  actor: Actor,
  operation: Pick<queries.OperationRow, 'id' | 'input'>,
): Promise<AppletOperation> {
  const { id } = operation
  const jobId = await jobs.enqueue(
    db,
    jobOf(operation),
    { id },
    { ...turnOf(actor), scope: serviceOf(scopeOf(actor)) },
  )
  await queries.setOperationJob(db, id, jobId)
  return read(db, actor, id)
}

async function read(db: MapleContext['db'], actor: Actor, id: string): Promise<AppletOperation> {
  const found = await queries.findOperation(db, id, scopeOf(actor))
  return withRights(actor, found ?? notThere(id))
}

function withRights(actor: Actor, operation: queries.OperationRow): AppletOperation {
  const { serviceId: _, input: _input, ...facts } = operation
  const names = { cancel: 'operation.cancel', retry: 'operation.retry' } as const
  return { ...facts, rights: rightsOf(actor, operation, names) }
}

const notApproved = () =>
  new ProblemError(
    'job_not_finished',
    'Nobody approved that Grove signs for this operation. Start it again.',
  )

const missing = (id: string) => new ProblemError('not_found', `There is no operation ${id}.`)
function notThere(id: string): never {
  throw missing(id)
}

type Targets = { elements?: string[] | undefined; profile?: string | undefined }

async function targetsOf(
  db: MapleContext['db'],
  scope: Scope,
  { elements = [], profile }: Targets,
  limit: number,
): Promise<string[]> {
  if (profile !== undefined) return elementsOfProfile(db, profile, { scope, limit })
  if (elements.length === 0)
    throw invalidField('elements', 'required', 'Name elements, or a profile.')
  return [...new Set(elements.map((text, index) => readCplc(`elements.${index}`, text)))]
}

/**
 * Privileges over a whole card need the right to its domains, and an explicit confirmation.
 * @throws ProblemError `forbidden` or `invalid_request`.
 */
function assertCardPrivileges(actor: Actor, instances: Instances, isAgreed: boolean): void {
  const [given] =
    instances
      ?.flatMap(({ privileges = [] }) => privileges)
      .filter((name) => overTheCard.has(name)) ?? []
  if (given === undefined) return
  assertRight(actor, 'element.secure')
  if (!isAgreed)
    throw invalidField(
      'grantsCardPrivileges',
      'required',
      `The applet gets ${given}, which applies to the whole card. Send grantsCardPrivileges if that is intended.`,
    )
}

/** Another service provider's element is reported like a missing one. */
function assertKnown(
  cplcs: readonly string[],
  known: readonly { cplc: string }[],
  profile: string | undefined,
): void {
  const lacking = cplcs.find((cplc) => !known.some((each) => each.cplc === cplc))
  if (lacking !== undefined) throw new ProblemError('not_found', `There is no element ${lacking}.`)
  if (cplcs.length === 0)
    throw new ProblemError('not_found', `The profile ${profile ?? ''} has no elements.`)
}
