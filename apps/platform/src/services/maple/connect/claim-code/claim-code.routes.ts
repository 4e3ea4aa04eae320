import { deviceConnectionCalls } from '@grove/contract/maple/connect/device-connection'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { ConnectContext } from '../context.ts'
import {
  claimDevice,
  createClaimCode,
  openClaimLimit,
  readClaimCodes,
  revokeClaimCode,
} from './claim-code.service.ts'

export function registerClaimCode(app: FastifyInstance, context: ConnectContext): void {
  addCall(app, deviceConnectionCalls, 'GET /api/maple/device/claim_code', ({ actor, query }) =>
    readClaimCodes(context, actor, query),
  )
  addCall(app, deviceConnectionCalls, 'POST /api/maple/device/claim_code', ({ actor, body }) =>
    createClaimCode(context, actor, body),
  )
  addCall(app, deviceConnectionCalls, 'DELETE /api/maple/device/claim_code', ({ actor, query }) =>
    revokeClaimCode(context, actor, query),
  )
  const claims = openClaimLimit(context.now)
  addCall(app, deviceConnectionCalls, 'POST /api/maple/device/claim', ({ actor, body }) =>
    claimDevice({ ...context, claims }, actor, body),
  )
}
