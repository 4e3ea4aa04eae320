import { providerCalls } from '@grove/contract/cedar/provider'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { CedarContext } from '../context.ts'
import { listProviders } from './provider.service.ts'

export function providerRoutes(app: FastifyInstance, context: CedarContext): void {
  addCall(app, providerCalls, 'GET /api/provider', (input) =>
    listProviders(context, input.actor, input.query),
  )
}
