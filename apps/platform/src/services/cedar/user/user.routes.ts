import { userCalls } from '@grove/contract/cedar/user'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { CedarContext } from '../context.ts'
import { listKeysOf, listMemberships } from './user.service.ts'

export function userRoutes(app: FastifyInstance, context: CedarContext): void {
  addCall(app, userCalls, 'GET /api/cedar/user/provider', async ({ actor, query }) => ({
    items: await listMemberships(context, actor, query),
  }))

  addCall(app, userCalls, 'GET /api/cedar/user/key', async ({ actor, query }) => ({
    items: await listKeysOf(context, actor, query),
  }))
}
