import { publishKeyCalls } from '@grove/contract/cedar/publish-key'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { CedarContext } from '../context.ts'
import { createKey, listKeys, revokeKey } from './publish-key.service.ts'

export function publishKeyRoutes(app: FastifyInstance, context: CedarContext): void {
  addCall(app, publishKeyCalls, 'GET /api/developer/publishKey', ({ actor, query }) =>
    listKeys(context, actor, query),
  )

  addCall(app, publishKeyCalls, 'POST /api/developer/publishKey', ({ actor, body }) =>
    createKey(context, actor, body),
  )

  addCall(app, publishKeyCalls, 'DELETE /api/developer/publishKey', async ({ actor, query }) => {
    await revokeKey(context, actor, query)
    return null
  })
}
