import { stageCalls } from '@grove/contract/cedar/stage'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { CedarContext } from '../context.ts'
import { readStage } from './stage.service.ts'

export function stageRoutes(app: FastifyInstance, context: CedarContext): void {
  addCall(app, stageCalls, 'GET /api/provider/stage', ({ actor, query }) =>
    readStage(context, actor, query),
  )
}
