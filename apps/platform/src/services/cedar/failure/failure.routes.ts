import { failureCalls } from '@grove/contract/cedar/failure'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { CedarContext } from '../context.ts'
import { listFailures } from './failure.service.ts'

export const failureRoutes = (app: FastifyInstance, context: CedarContext): void =>
  addCall(app, failureCalls, 'GET /api/developer/failure', ({ actor }) =>
    listFailures(context, actor),
  )
