import { approvalCalls } from '@grove/contract/maple/access/approval'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import { decide, listApprovals, withdraw, type ApprovalContext } from './approval.service.ts'

export function registerApproval(app: FastifyInstance, context: ApprovalContext): void {
  addCall(app, approvalCalls, 'GET /api/maple/approvals', ({ actor, query }) =>
    listApprovals(context, actor, query),
  )

  addCall(
    app,
    approvalCalls,
    'PUT /api/maple/approvals',
    ({ actor, query: { id }, revision, body }) => decide(context, actor, { ...body, id, revision }),
  )

  addCall(app, approvalCalls, 'DELETE /api/maple/approvals', ({ actor, query: { id }, revision }) =>
    withdraw(context, actor, { id, revision }),
  )
}
