import { keyCalls } from '@grove/contract/maple/card/key'
import { elementCalls } from '@grove/contract/maple/fleet/element'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { CardContext } from '../context.ts'
import { askExport, listExports } from './key-export.service.ts'
import {
  importKeys,
  importMaster,
  listKeys,
  listMasterKeys,
  removeMaster,
  retireKeys,
} from './key.service.ts'
import { switchHsm } from './custody.service.ts'
import { askRotation, resumeRotation } from './rotation.service.ts'

export function startHsm(app: FastifyInstance, { keys: { hsm } }: CardContext): void {
  if (hsm) {
    // A wrong PIN must not stop the start: a server that is restarted again and again would lock it.
    app.addHook('onReady', () => {
      void hsm.check().then((problem) => problem && app.log.warn(problem.message))
    })
    app.addHook('onClose', () => hsm.close())
  }
}

export function registerKeys(app: FastifyInstance, context: CardContext): void {
  addCall(app, keyCalls, 'GET /api/maple/se/keys', ({ actor, query }) =>
    listKeys(context, actor, query),
  )

  addCall(app, keyCalls, 'POST /api/maple/se/keys', ({ actor, body }) =>
    importKeys(context, actor, body),
  )

  addCall(app, keyCalls, 'POST /api/maple/se/keys/export', ({ actor, body }) =>
    askExport(context, actor, body),
  )

  addCall(app, keyCalls, 'GET /api/maple/se/keys/export', ({ actor, query }) =>
    listExports(context, actor, query),
  )

  addCall(app, keyCalls, 'DELETE /api/maple/se/keys', ({ actor, query }) =>
    retireKeys(context, actor, query),
  )

  addCall(app, keyCalls, 'POST /api/maple/se/keys/rotation', ({ actor, body }) =>
    askRotation(context, actor, body),
  )

  addCall(app, keyCalls, 'PUT /api/maple/se/keys/rotation', ({ actor, query }) =>
    resumeRotation(context, actor, query),
  )

  addCall(app, elementCalls, 'POST /api/maple/se/hsm', ({ actor, body, revision }) =>
    switchHsm(context, actor, { ...body, revision }),
  )

  addCall(app, keyCalls, 'GET /api/maple/se/masters', ({ actor }) => listMasterKeys(context, actor))

  addCall(app, keyCalls, 'POST /api/maple/se/masters', ({ actor, body }) =>
    importMaster(context, actor, body),
  )

  addCall(app, keyCalls, 'DELETE /api/maple/se/masters', ({ actor, query }) =>
    removeMaster(context, actor, query),
  )
}
