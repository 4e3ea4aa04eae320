import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { TemplateRun } from '@grove/contract/maple/program/template'
import type { TemplateContent } from '@grove/contract/maple/program/template-step.rules'
import type { ParameterValues } from '@grove/contract/maple/program/template-parameter.rules'
import { processActor, type Actor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import type { JobQueue } from '../../../../core/jobs/job-queue.ts'
import { seal, unseal } from '../../../../core/sealed.ts'
import { everything, scopeOf, scopeOfService, serviceOf } from '../../../../core/scope.ts'
import { templateEvents as events } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import type { SessionContext } from '../../card/context.ts'
import { readCplc } from '../../base/cplc-text.ts'
import { rightsOfActor } from '../../base/right.ts'
import { ownerOf, turnOf } from '../../base/job-turn.ts'
import type { MapleDb } from '../../base/tables.ts'
import { maxNamedCards, needsApproval } from '../../access/approval/approval.service.ts'
import { tokenNeed } from '../../card/purpose-key/token-need.queries.ts'
import { findLackingElement } from '../element.queries.ts'
import type { ProgramJobs } from '../jobs.ts'
import { assertAllowed, rightsOf } from '../program.policy.ts'
import { askedSteps } from './asked-steps.ts'
import { planHash, tokenDomains } from './token-plan.ts'
import { assertMaySend } from './may-send.ts'
import { assertValues } from './template-check.ts'
import { causeOf } from './step-cause.ts'
import { templates } from './template.queries.ts'
import { required, versionOf } from './template.service.ts'
import * as queries from './template-run.queries.ts'

export type RunContext = MapleContext &
  Pick<SessionContext, 'sessionSecret'> & { jobs: JobQueue<ProgramJobs> }

type ById = { id: string }

/**
 * Runs a published version on elements.
 * @throws ProblemError `not_found`, `transition_refused`, `forbidden`, `token_key_missing` or
 * `invalid_request`.
 */
export function createRun(
  { db, jobs, now, sessionSecret }: RunContext,
  actor: Actor,
  {
    id,
    version: number,
    elements,
    input = [],
  }: ById & BodyOf<Calls['POST /api/maple/templates/{id}/run']>,
): Promise<TemplateRun> {
  const scope = scopeOf(actor)
  const cplcs = [...new Set(elements.map((text, index) => readCplc(`elements.${index}`, text)))]
  return db.transaction().execute(async (tx) => {
    const template = await required(tx, actor, id)
    assertAllowed(actor, 'template.run', template)
    const wanted = number ?? template.version ?? 0
    const { content } = await versionOf(tx, { owner: id, number: wanted })
    assertMaySend(actor, content)
    const values = assertValues(content, input)
    const lacking = await findLackingElement(tx, cplcs, scope)
    if (lacking !== undefined)
      throw new ProblemError('not_found', `There is no element ${lacking}.`)
    const shown = shownInput(values)
    const runId = await queries.insertRun(tx, {
      serviceId: serviceOf(scope),
      templateId: id,
      version: wanted,
      input: shown,
      sealedInput: seal(JSON.stringify(plainInput(values)), sessionSecret, sealPurpose),
      rights: rightsOfActor(actor),
      cplcs,
      createdBy: actor.id,
    })
    const after = { runId, version: wanted, elements: cplcs.length, input: shown }
    await events.record(tx, actor, 'template.run', id, { after })
    const domains = tokenDomains(content, values)
    const need = await tokenNeed(tx, cplcs, domains)
    if (need.canSign) {
      const { id: approvalId } = await needsApproval({ db: tx, now }, actor, {
        action: 'card.sign',
        subject: runId,
        input: {
          name: `${template.name} ${wanted}`,
          template: id,
          version: wanted,
          ...(await askedSteps(tx, { content, values, scope })),
          elements: cplcs.length,
          cplcs: cplcs.slice(0, maxNamedCards),
          domain: domains.join(', '),
          plan: await planOf(tx, { runId, content, values, scope }),
        },
      })
      await queries.setRunApproval(tx, runId, approvalId)
      return read(tx, actor, runId)
    }
    if (need.isStuck)
      throw new ProblemError(
        'token_key_missing',
        `The security domain ${domains.join(', ')} needs a token for each command, and Grove has no key to make them for these cards.`,
      )
    const jobId = await jobs.enqueue(
      tx,
      'template.run',
      { id: runId },
      { ...turnOf(actor), scope: serviceOf(scope) },
    )
    await queries.setRunJob(tx, runId, jobId)
    return read(tx, actor, runId)
  })
}

/** What a run does, and on which elements. */
const planOf = async (
  db: MapleDb,
  { runId, ...planned }: Omit<Parameters<typeof planHash>[1], 'others'> & { runId: string },
) =>
  planHash(db, {
    ...planned,
    others: [await queries.sealedInputOf(db, runId), await queries.elementsOfRun(db, runId)],
  })

/** Whether a run still matches its approved plan. */
export const isAsApproved = async (
  db: MapleDb,
  { id, approvedPlan, serviceId }: queries.RunRow,
  content: TemplateContent,
  values: ParameterValues,
): Promise<boolean> =>
  approvedPlan !== null &&
  approvedPlan ===
    (await planOf(db, { runId: id, content, values, scope: scopeOfService(serviceId) }))

/** Starts an approved run, unless its template has been deprecated since. Idempotent. */
export function startSignedRun(
  { db, jobs }: Pick<RunContext, 'db' | 'jobs'>,
  { subject: id, requestedBy }: { subject: string; requestedBy: string },
): Promise<void> {
  return db.transaction().execute(async (tx) => {
    const row = await queries.lockRun(tx, id, everything)
    if (row?.state !== 'queued' || row.jobId !== null) return
    const { serviceId, template } = row
    const current = await templates.find(tx, template.id, everything)
    if (current?.state !== 'published') {
      await queries.refuseRun(tx, id, causeOf('template_deprecated'))
      const by = processActor('template.delegated')
      await events.record(tx, by, 'template.cancel', template.id, { after: { runId: id } })
      return
    }
    const jobId = await jobs.enqueue(
      tx,
      'template.delegated',
      { id },
      { owner: ownerOf(serviceId, requestedBy), createdBy: requestedBy, scope: serviceId },
    )
    await queries.setRunJob(tx, id, jobId)
  })
}

/**
 * Starts approved runs whose job was taken by a process of the previous release or ran out of
 * attempts, and deletes the values of runs that will never start.
 */
export async function tidyRuns(context: Pick<RunContext, 'db' | 'jobs'>): Promise<void> {
  for (const approved of await queries.approvedUnstarted(context.db))
    await startSignedRun(context, approved)
  await queries.forgetUnstarted(context.db)
}

const sealPurpose = 'maple template run'

const plainInput = (values: ParameterValues) =>
  Object.fromEntries([...values].map(([name, { value }]) => [name, value]))

const shownInput = (values: ParameterValues) =>
  Object.fromEntries(
    [...values].map(([name, { value, isSecret }]) => [name, isSecret ? '' : value]),
  )

/** The values of a run, deleted once it has ended. */
export const openInput = (
  { sessionSecret }: Pick<SessionContext, 'sessionSecret'>,
  sealedInput: string,
) => JSON.parse(unseal(sealedInput, sessionSecret, sealPurpose)) as Record<string, string>

/** @throws BadCursorError */
export async function listRuns(
  { db }: MapleContext,
  actor: Actor,
  query: QueryOf<Calls['GET /api/maple/templates/run']>,
): Promise<ResponseOf<Calls['GET /api/maple/templates/run']>> {
  const page = await queries.runList.read(db, query, scopeOf(actor))
  return { ...page, items: page.items.map((row) => withRights(actor, row)) }
}

/** @throws ProblemError `not_found`; BadCursorError. */
export async function listTargets(
  { db }: MapleContext,
  actor: Actor,
  { id, ...query }: ById & QueryOf<Calls['GET /api/maple/templates/run/{id}/target']>,
): Promise<ResponseOf<Calls['GET /api/maple/templates/run/{id}/target']>> {
  await found(db, actor, id)
  return queries.targetList.read(db, query, id)
}

/** The current elements are finished; later ones stay unchanged. @throws ProblemError */
export function cancelRun({ db }: MapleContext, actor: Actor, { id }: ById): Promise<TemplateRun> {
  return db.transaction().execute(async (tx) => {
    const row = (await queries.lockRun(tx, id, scopeOf(actor))) ?? missing(id)
    assertAllowed(actor, 'template.cancel', row)
    await queries.cancelWaiting(tx, id)
    await events.record(tx, actor, 'template.cancel', row.template.id, { after: { runId: id } })
    return read(tx, actor, id)
  })
}

const read = async (db: MapleContext['db'], actor: Actor, id: string) =>
  withRights(actor, await found(db, actor, id))

const found = async (db: MapleContext['db'], actor: Actor, id: string) =>
  (await queries.findRun(db, id, scopeOf(actor))) ?? missing(id)

function missing(id: string): never {
  throw new ProblemError('not_found', `There is no run ${id}.`)
}

function withRights(actor: Actor, row: queries.RunRow): TemplateRun {
  const {
    serviceId: _,
    sealedInput: _sealed,
    rightNames: _rights,
    jobId: _job,
    approvedPlan: _plan,
    ...facts
  } = row
  return { ...facts, rights: rightsOf(actor, row, { cancel: 'template.cancel' }) }
}
