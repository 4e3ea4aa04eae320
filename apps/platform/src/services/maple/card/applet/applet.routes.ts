import { appletCalls } from '@grove/contract/maple/card/applet'
import type { FastifyInstance } from 'fastify'
import { largestCapFile } from '@grove/contract/maple/card/applet.rules'
import { addCall } from '../../../../core/http/add-call.ts'
import { sendFile } from '../../../../core/artifact/send-file.ts'
import type { FleetContext } from '../../fleet/context.ts'
import { readVerification } from './cap-verification.ts'
import {
  changeState,
  listApplets,
  listInstalled,
  openFile,
  readApplet,
  readImpact,
  readInstalledOn,
  removeApplet,
  uploadApplet,
} from './applet.service.ts'

export function registerApplet(app: FastifyInstance, context: FleetContext): void {
  addCall(app, appletCalls, 'GET /api/maple/applets', ({ actor, query }) =>
    listApplets(context, actor, query),
  )
  addCall(app, appletCalls, 'POST /api/maple/applets', async ({ actor, upload }) =>
    uploadApplet(context, actor, { file: await upload(largestCapFile) }),
  )
  addCall(app, appletCalls, 'GET /api/maple/applets/{id}', ({ actor, params }) =>
    readApplet(context, actor, params),
  )
  addCall(app, appletCalls, 'GET /api/maple/applets/{id}/file', async ({ actor, params, reply }) =>
    sendFile(reply, await openFile(context, actor, params)),
  )
  addCall(app, appletCalls, 'GET /api/maple/applets/{id}/verification', ({ actor, params }) =>
    readVerification(context, actor, params),
  )
  addCall(
    app,
    appletCalls,
    'POST /api/maple/applets/{id}/state',
    ({ actor, params, revision, body }) =>
      changeState(context, actor, { ...params, revision, ...body }),
  )
  addCall(app, appletCalls, 'DELETE /api/maple/applets/{id}', ({ actor, params, revision }) =>
    removeApplet(context, actor, { ...params, revision }),
  )
  addCall(app, appletCalls, 'GET /api/maple/applets/{id}/impact', ({ actor, params }) =>
    readImpact(context, actor, params),
  )
  addCall(app, appletCalls, 'GET /api/maple/applets/{id}/installed', ({ actor, params, query }) =>
    listInstalled(context, actor, { ...params, ...query }),
  )
  addCall(app, appletCalls, 'GET /api/maple/se/applets', ({ actor, query }) =>
    readInstalledOn(context, actor, query),
  )
}
