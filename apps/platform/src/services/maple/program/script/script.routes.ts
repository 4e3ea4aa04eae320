import { scriptCalls } from '@grove/contract/maple/program/script'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { ProgramContext } from '../context.ts'
import { answerRun, cancelRuns, listRuns, readRun, startRuns } from './script-run.service.ts'
import {
  checkScript,
  createScript,
  listScripts,
  listVersions,
  publishScript,
  readScript,
  readVersion,
  removeScript,
  rollBackScript,
  scriptSecrets,
  updateScript,
} from './script.service.ts'

export function registerScript(app: FastifyInstance, context: ProgramContext): void {
  addCall(app, scriptCalls, 'GET /api/maple/scripts', ({ actor, query }) =>
    listScripts(context, actor, query),
  )
  addCall(app, scriptCalls, 'POST /api/maple/scripts', ({ actor, body }) =>
    createScript(context, actor, body),
  )
  addCall(app, scriptCalls, 'POST /api/maple/scripts/check', ({ actor, body }) =>
    checkScript(context, actor, body),
  )
  addCall(app, scriptCalls, 'GET /api/maple/scripts/{id}', ({ actor, params }) =>
    readScript(context, actor, params),
  )
  addCall(app, scriptCalls, 'PUT /api/maple/scripts/{id}', ({ actor, params, revision, body }) =>
    updateScript(context, actor, { ...params, revision, change: body }),
  )
  addCall(app, scriptCalls, 'DELETE /api/maple/scripts/{id}', ({ actor, params, revision }) =>
    removeScript(context, actor, { ...params, revision }),
  )
  addCall(
    app,
    scriptCalls,
    'POST /api/maple/scripts/{id}/publish',
    ({ actor, params, revision, body }) =>
      publishScript(context, actor, { ...params, revision, ...body }),
  )
  addCall(
    app,
    scriptCalls,
    'POST /api/maple/scripts/{id}/rollback',
    ({ actor, params, revision, body }) =>
      rollBackScript(context, actor, { ...params, revision, ...body }),
  )
  addCall(app, scriptCalls, 'GET /api/maple/scripts/{id}/version', ({ actor, params, query }) =>
    listVersions(context, actor, { ...params, query }),
  )
  addCall(app, scriptCalls, 'GET /api/maple/scripts/{id}/version/{number}', ({ actor, params }) =>
    readVersion(context, actor, params),
  )
  addCall(app, scriptCalls, 'POST /api/maple/scripts/{id}/run', ({ actor, params, body }) =>
    startRuns(context, actor, { ...params, ...body }),
  )
  addCall(app, scriptCalls, 'GET /api/maple/scripts/{id}/run', ({ actor, params, query }) =>
    listRuns(context, actor, { ...params, query }),
  )
  addCall(app, scriptCalls, 'GET /api/maple/scripts/{id}/run/{runId}', ({ actor, params }) =>
    readRun(context, actor, params),
  )
  addCall(
    app,
    scriptCalls,
    'POST /api/maple/scripts/{id}/run/{runId}/answer',
    ({ actor, params, body }) => answerRun(context, actor, { ...params, ...body }),
  )
  addCall(app, scriptCalls, 'GET /api/maple/scripts/{id}/secret', ({ actor, params }) =>
    scriptSecrets.list(context, actor, params),
  )
  addCall(app, scriptCalls, 'PUT /api/maple/scripts/{id}/secret', ({ actor, params, body }) =>
    scriptSecrets.set(context, actor, { ...params, ...body }),
  )
  addCall(app, scriptCalls, 'DELETE /api/maple/scripts/{id}/secret', ({ actor, params, query }) =>
    scriptSecrets.remove(context, actor, { ...params, ...query }),
  )
  addCall(app, scriptCalls, 'POST /api/maple/scripts/{id}/cancel', ({ actor, params, body }) =>
    cancelRuns(context, actor, { ...params, ...body }),
  )
}
