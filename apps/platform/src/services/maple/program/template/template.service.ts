import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { Template, TemplateVersion } from '@grove/contract/maple/program/template'
import { maxTemplates } from '@grove/contract/maple/program/template.rules'
import type { Actor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { programService } from '../../../../core/program/program-service.ts'
import { templateEvents as events } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { assertAllowed, rightsOf } from '../program.policy.ts'
import { assertOpenService } from '../../access/service/service.service.ts'
import type { MapleDb } from '../../base/tables.ts'
import { assertSize, assertValid, hashOf } from './template-check.ts'
import {
  draftColumns,
  findVersion,
  templates,
  versionWithContent,
  type TemplateFacts,
  type TemplateRow,
} from './template.queries.ts'

type ById = { id: string }
type AtRevision = ById & { revision: number | undefined }

const service = programService(templates, {
  what: 'template',
  most: maxTemplates,
  assertOpen: assertOpenService,
  draftOf(
    given: Omit<BodyOf<Calls['PUT /api/maple/templates']>, 'name'>,
    before: TemplateRow | undefined,
  ) {
    const { about = before?.about ?? '', parameters = before?.draft.parameters ?? [] } = given
    const { steps = before?.draft.steps ?? [] } = given
    return { about, parameters, steps }
  },
  checkDraft: ({ parameters, steps }) => assertSize({ parameters, steps }),
  columnsOf: ({ about, ...content }) => ({ about, ...draftColumns(content) }),
  contentOf: ({ draft }) => ({ content: draft }),
  /**
   * @throws ProblemError `transition_refused`, or `invalid_request` with every step and field that is
   * wrong.
   */
  async checkContent(tx: MapleDb, { content }, { id, version }) {
    assertValid(content)
    const newest = version && (await findVersion(tx, id, version))
    if (newest && newest.sha256 === hashOf(content))
      throw new ProblemError(
        'transition_refused',
        `Version ${newest.number} is identical. Change something first.`,
      )
  },
  // A new version also becomes the draft.
  live: ({ content }) => ({ state: 'published', ...draftColumns(content) }),
  record: (tx, actor, action, id, { before, after }) =>
    events.record(tx, actor, `template.${action === 'rollback' ? 'publish' : action}`, id, {
      before,
      after,
    }),
  shownItem: (actor, row) => withRights(actor, row),
  shown: templateOf,
})

export const {
  list: listTemplates,
  read: readTemplate,
  create: createTemplate,
  update: updateTemplate,
  remove: removeTemplate,
  required,
  versionOf,
} = service

/** @throws ProblemError `not_found`; BadCursorError. */
export async function listVersions(
  context: MapleContext,
  actor: Actor,
  given: ById & { query: QueryOf<Calls['GET /api/maple/templates/{id}/version']> },
): Promise<ResponseOf<Calls['GET /api/maple/templates/{id}/version']>> {
  const page = await service.listVersions(context, actor, given)
  return { ...page, items: page.items.map(versionWithContent) }
}

/** Publishes the draft, or an earlier version again. @throws ProblemError as `checkContent` does. */
export async function publishTemplate(
  context: MapleContext,
  actor: Actor,
  { from, ...at }: AtRevision & BodyOf<Calls['POST /api/maple/templates/{id}/version']>,
): Promise<TemplateVersion> {
  return versionWithContent(
    await (from === undefined
      ? service.publish(context, actor, at)
      : service.rollBack(context, actor, { ...at, number: from })),
  )
}

/** @throws ProblemError `not_found`, `edit_conflict` or `transition_refused`. */
export function changeTemplateState(
  { db }: MapleContext,
  actor: Actor,
  { state, ...at }: AtRevision & { state: 'published' | 'deprecated' },
): Promise<Template> {
  return db.transaction().execute(async (tx) => {
    const before = await service.locked(tx, actor, at)
    const action = state === 'deprecated' ? 'template.deprecate' : 'template.restore'
    assertAllowed(actor, action, before)
    await templates.update(tx, at.id, { name: before.name, state })
    const after = await required(tx, actor, at.id)
    await events.record(tx, actor, action, at.id, { before, after })
    return templateOf(actor, after)
  })
}

const names = {
  deprecate: 'template.deprecate',
  restore: 'template.restore',
  run: 'template.run',
} as const

const withRights = <Row extends TemplateFacts>(actor: Actor, row: Row) => ({
  ...row,
  rights: rightsOf(actor, row, names),
})

function templateOf(actor: Actor, { draft, ...facts }: TemplateRow): Template {
  return { ...withRights(actor, facts), ...draft }
}
