import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { Template, TemplateVersion } from '@grove/contract/maple/program/template'
import { maxTemplates } from '@grove/contract/maple/program/template.rules'
import type { Actor } from '../../../../core/actor.ts'
import { atRevision } from '../../../../core/http/at-revision.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { storedName } from '../../../../core/http/stored-name.ts'
import { scopeOf, serviceOf } from '../../../../core/scope.ts'
import { templateEvents as events } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { assertAllowed, rightsOf } from '../program.policy.ts'
import { assertOpenService } from '../../access/service/service.service.ts'
import type { MapleDb } from '../../base/tables.ts'
import { assertSize, assertValid, hashOf } from './template-check.ts'
import * as queries from './template.queries.ts'

type ById = { id: string }
type AtRevision = ById & { revision: number | undefined }

const what = 'template'

/** @throws BadCursorError */
export async function listTemplates(
  { db }: MapleContext,
  actor: Actor,
  query: QueryOf<Calls['GET /api/maple/templates']>,
): Promise<ResponseOf<Calls['GET /api/maple/templates']>> {
  const page = await queries.templateList.read(db, query, scopeOf(actor))
  return { ...page, items: page.items.map((row) => withRights(actor, row)) }
}

/** @throws ProblemError `not_found`, also for another service provider's template. */
export async function readTemplate(
  { db }: MapleContext,
  actor: Actor,
  { id }: ById,
): Promise<Template> {
  return templateOf(actor, await required(db, actor, id))
}

/** @throws ProblemError `limit_reached` or `service_suspended`. */
export function createTemplate(
  { db }: MapleContext,
  actor: Actor,
  { about = '', parameters = [], steps = [], ...given }: BodyOf<Calls['POST /api/maple/templates']>,
): Promise<Template> {
  const name = storedName('name', given.name)
  const draft = { parameters, steps }
  assertSize(draft)
  const serviceId = serviceOf(scopeOf(actor))
  return db.transaction().execute(async (tx) => {
    if (serviceId !== null) await assertOpenService(tx, serviceId)
    if ((await queries.holdTemplateCount(tx, serviceId)) >= maxTemplates)
      throw new ProblemError('limit_reached', `There are ${maxTemplates} templates. Delete one.`)
    const id = await queries.insertTemplate(tx, {
      serviceId,
      name,
      about,
      draft,
      sha256: hashOf(draft),
      createdBy: actor.id,
    })
    return audited(tx, actor, 'template.create', id)
  })
}

/** @throws ProblemError `not_found`, `edit_conflict` or `limit_reached`. */
export function updateTemplate(
  { db }: MapleContext,
  actor: Actor,
  { change, ...at }: AtRevision & { change: BodyOf<Calls['PUT /api/maple/templates']> },
): Promise<Template> {
  return db.transaction().execute(async (tx) => {
    const before = await held(tx, actor, at)
    const { parameters = before.draft.parameters, steps = before.draft.steps } = change
    const draft = { parameters, steps }
    assertSize(draft)
    const name = change.name === undefined ? before.name : storedName('name', change.name)
    const about = change.about ?? before.about
    const sha256 = hashOf(draft)
    const isSame = sha256 === hashOf(before.draft)
    if (isSame && name === before.name && about === before.about) return templateOf(actor, before)
    await queries.updateTemplate(tx, at.id, { name, about, draft, sha256 })
    return audited(tx, actor, 'template.update', at.id, before)
  })
}

/** @throws ProblemError `not_found` or `edit_conflict`. */
export function removeTemplate({ db }: MapleContext, actor: Actor, at: AtRevision): Promise<null> {
  return db.transaction().execute(async (tx) => {
    const before = await held(tx, actor, at)
    // First, while the row still tells its event's service provider.
    await events.record(tx, actor, 'template.delete', at.id, { before })
    await queries.deleteTemplate(tx, at.id)
    return null
  })
}

/** @throws ProblemError `not_found`; BadCursorError. */
export async function listVersions(
  { db }: MapleContext,
  actor: Actor,
  { id, ...query }: ById & QueryOf<Calls['GET /api/maple/templates/{id}/version']>,
): Promise<ResponseOf<Calls['GET /api/maple/templates/{id}/version']>> {
  await required(db, actor, id)
  return queries.readVersions(db, query, id)
}

/**
 * Publishes the draft, or an earlier version again.
 * @throws ProblemError `not_found`, `edit_conflict`, `transition_refused`, or `invalid_request` with
 * every step and field that is wrong.
 */
export function publishTemplate(
  { db }: MapleContext,
  actor: Actor,
  { note = '', from, ...at }: AtRevision & BodyOf<Calls['POST /api/maple/templates/{id}/version']>,
): Promise<TemplateVersion> {
  return db.transaction().execute(async (tx) => {
    const before = await held(tx, actor, at)
    const content = from === undefined ? before.draft : await contentOf(tx, at.id, from)
    assertValid(content)
    const sha256 = hashOf(content)
    const newest = before.version && (await queries.findVersion(tx, at.id, before.version))
    if (newest && newest.sha256 === sha256)
      throw new ProblemError(
        'transition_refused',
        `Version ${newest.number} is identical. Change something first.`,
      )
    const number = await queries.insertVersion(tx, at.id, {
      content,
      sha256,
      note,
      publishedBy: actor.id,
    })
    await audited(tx, actor, 'template.publish', at.id, before)
    return (await queries.findVersion(tx, at.id, number)) ?? missingVersion(number)
  })
}

async function contentOf(tx: MapleDb, id: string, number: number): Promise<queries.Content> {
  const found = (await queries.findVersion(tx, id, number)) ?? missingVersion(number)
  return { parameters: found.parameters, steps: found.steps }
}

/** @throws ProblemError `not_found`, `edit_conflict` or `transition_refused`. */
export function changeTemplateState(
  { db }: MapleContext,
  actor: Actor,
  { state, ...at }: AtRevision & { state: 'published' | 'deprecated' },
): Promise<Template> {
  return db.transaction().execute(async (tx) => {
    const before = await held(tx, actor, at)
    const action = state === 'deprecated' ? 'template.deprecate' : 'template.restore'
    assertAllowed(actor, action, before)
    await queries.setTemplateState(tx, at.id, state)
    return audited(tx, actor, action, at.id, before)
  })
}

/** @throws ProblemError `not_found`, also for another service provider's template. */
export async function required(
  db: MapleDb,
  actor: Actor,
  id: string,
): Promise<queries.TemplateRow> {
  const found = await queries.findTemplate(db, id, scopeOf(actor))
  if (!found) throw new ProblemError('not_found', `There is no template ${id}.`)
  return found
}

const held = async (tx: MapleDb, actor: Actor, { id, revision }: AtRevision) =>
  atRevision(await queries.lockTemplate(tx, id, scopeOf(actor)), revision, what)

export function missingVersion(number: number): never {
  throw new ProblemError('not_found', `There is no version ${number}.`)
}

async function audited(
  tx: MapleDb,
  actor: Actor,
  action: Parameters<typeof events.record>[2],
  id: string,
  before?: queries.TemplateRow,
): Promise<Template> {
  const after = await required(tx, actor, id)
  await events.record(tx, actor, action, id, { before, after })
  return templateOf(actor, after)
}

const names = {
  deprecate: 'template.deprecate',
  restore: 'template.restore',
  run: 'template.run',
} as const

const withRights = <Row extends queries.TemplateFacts>(actor: Actor, row: Row) => ({
  ...row,
  rights: rightsOf(actor, row, names),
})

function templateOf(actor: Actor, { draft, ...facts }: queries.TemplateRow): Template {
  return { ...withRights(actor, facts), ...draft }
}
