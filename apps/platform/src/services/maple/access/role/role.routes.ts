import { mapleAccountCalls } from '@grove/contract/maple/access/account'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { MapleContext } from '../../base/context.ts'
import { listRoles } from './role.service.ts'

export function registerRole(app: FastifyInstance, context: MapleContext): void {
  addCall(app, mapleAccountCalls, 'GET /api/maple/roles', ({ actor }) => listRoles(context, actor))
}
