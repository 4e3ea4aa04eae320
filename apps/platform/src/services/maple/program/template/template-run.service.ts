import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { TemplateRun } from '@grove/contract/maple/program/template'
import type { ParameterValues } from '@grove/contract/maple/program/template-parameter.rules'
import type { Actor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import type { JobQueue } from '../../../../core/jobs/job-queue.ts'
import { seal, unseal } from '../../../../core/sealed.ts'
import { scopeOf, serviceOf } from '../../../../core/scope.ts'
import { templateEvents as events } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import type { SessionContext } from '../../card/context.ts'
import { readCplc } from '../../base/cplc-text.ts'
import { rightsOfActor } from '../../base/right.ts'
import { turnOf } from '../../base/job-turn.ts'
import { findLackingElement } from '../element.queries.ts'
import type { ProgramJobs } from '../jobs.ts'
import { assertAllowed, rightsOf } from '../program.policy.ts'
import { assertMaySend } from './may-send.ts'
import { assertValues } from './template-check.ts'
import { required, versionOf } from './template.service.ts'
import * as queries from './template-run.queries.ts'

export type RunContext = MapleContext &
  Pick<SessionContext, 'sessionSecret'> & { jobs: JobQueue<ProgramJobs> }

type ById = { id: string }

/**
 * Runs a published version on elements.
 * @throws ProblemError `not_found`, `transition_refused`, `forbidden` or `invalid_request`.
 */
export function createRun(
  { db, jobs, sessionSecret }: RunContext,
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
  const { serviceId: _, sealedInput: _sealed, rightNames: _rights, ...facts } = row
  return { ...facts, rights: rightsOf(actor, row, { cancel: 'template.cancel' }) }
}
