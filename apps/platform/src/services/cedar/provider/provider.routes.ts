import { providerCalls } from '@grove/contract/cedar/provider'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { CedarContext } from '../context.ts'
import { createOwnProvider, listProviders, readProviderRights } from './provider.service.ts'

export function providerRoutes(app: FastifyInstance, context: CedarContext): void {
  addCall(app, providerCalls, 'GET /api/provider', (input) =>
    listProviders(context, input.actor, input.query),
  )
  addCall(app, providerCalls, 'POST /api/provider', ({ actor, body }) =>
    createOwnProvider(context, actor, body),
  )
  addCall(app, providerCalls, 'GET /api/provider/rights', ({ actor }) =>
    readProviderRights(context, actor),
  )
}
