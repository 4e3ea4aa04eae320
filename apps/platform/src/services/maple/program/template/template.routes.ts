import { templateCalls } from '@grove/contract/maple/program/template'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { ProgramContext } from '../context.ts'
import { dryRun } from './dry-run.ts'
import {
  changeTemplateState,
  createTemplate,
  listTemplates,
  listVersions,
  publishTemplate,
  readTemplate,
  removeTemplate,
  updateTemplate,
} from './template.service.ts'
import { cancelRun, createRun, listRuns, listTargets } from './template-run.service.ts'

export function registerTemplate(app: FastifyInstance, context: ProgramContext): void {
  addCall(app, templateCalls, 'GET /api/maple/templates', ({ actor, query }) =>
    listTemplates(context, actor, query),
  )
  addCall(app, templateCalls, 'POST /api/maple/templates', ({ actor, body }) =>
    createTemplate(context, actor, body),
  )
  addCall(
    app,
    templateCalls,
    'PUT /api/maple/templates',
    ({ actor, query: { id }, revision, body }) =>
      updateTemplate(context, actor, { id, revision, change: body }),
  )
  addCall(app, templateCalls, 'DELETE /api/maple/templates', ({ actor, query: { id }, revision }) =>
    removeTemplate(context, actor, { id, revision }),
  )
  addCall(app, templateCalls, 'GET /api/maple/templates/{id}', ({ actor, params }) =>
    readTemplate(context, actor, params),
  )
  addCall(app, templateCalls, 'GET /api/maple/templates/{id}/version', ({ actor, params, query }) =>
    listVersions(context, actor, { ...params, query }),
  )
  addCall(
    app,
    templateCalls,
    'POST /api/maple/templates/{id}/version',
    ({ actor, params, revision, body }) =>
      publishTemplate(context, actor, { ...params, revision, ...body }),
  )
  addCall(
    app,
    templateCalls,
    'POST /api/maple/templates/{id}/state',
    ({ actor, params, revision, body }) =>
      changeTemplateState(context, actor, { ...params, revision, ...body }),
  )
  addCall(app, templateCalls, 'POST /api/maple/templates/dry_run', ({ actor, body }) =>
    dryRun(context, actor, body),
  )
  addCall(app, templateCalls, 'POST /api/maple/templates/{id}/run', ({ actor, params, body }) =>
    createRun(context, actor, { ...params, ...body }),
  )
  addCall(app, templateCalls, 'GET /api/maple/templates/run', ({ actor, query }) =>
    listRuns(context, actor, query),
  )
  addCall(
    app,
    templateCalls,
    'GET /api/maple/templates/run/{id}/target',
    ({ actor, params, query }) => listTargets(context, actor, { ...params, ...query }),
  )
  addCall(app, templateCalls, 'POST /api/maple/templates/run/{id}/cancel', ({ actor, params }) =>
    cancelRun(context, actor, params),
  )
}
