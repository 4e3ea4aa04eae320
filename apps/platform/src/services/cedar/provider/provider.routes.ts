import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { Platform } from '../../../core/platform.ts'
import { actorOf } from '../actor.ts'
import { listProviders } from './provider.service.ts'

export function providerRoutes(app: FastifyInstance, platform: Platform): void {
  addCall(app, 'cedar', 'GET /api/provider', (input) =>
    listProviders(platform, actorOf(input), input.query.providerId),
  )
}
