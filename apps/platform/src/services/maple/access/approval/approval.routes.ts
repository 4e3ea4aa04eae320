import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import { decide, listApprovals, withdraw, type ApprovalContext } from './approval.service.ts'

export function registerApproval(app: FastifyInstance, context: ApprovalContext): void {
  addCall(app, 'GET /api/maple/approvals', ({ actor, query }) =>
    listApprovals(context, actor, query),
  )

  addCall(app, 'PUT /api/maple/approvals', ({ actor, query: { id }, revision, body }) =>
    decide(context, actor, { ...body, id, revision }),
  )

  addCall(app, 'DELETE /api/maple/approvals', ({ actor, query: { id }, revision }) =>
    withdraw(context, actor, { id, revision }),
  )
}
