import { mapleAccountCalls } from '@grove/contract/maple/access/account'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { MapleContext } from '../../base/context.ts'
import { readAccountRights, readOwnRights } from './account-rights.service.ts'
import {
  createAccount,
  grantRole,
  listAccounts,
  removeAccount,
  revokeRole,
  updateAccount,
} from './account.service.ts'

export function registerAccount(app: FastifyInstance, context: MapleContext): void {
  addCall(app, mapleAccountCalls, 'GET /api/maple/account', ({ actor, query }) =>
    listAccounts(context, actor, query),
  )

  addCall(app, mapleAccountCalls, 'POST /api/maple/account', ({ actor, body }) =>
    createAccount(context, actor, body),
  )

  addCall(
    app,
    mapleAccountCalls,
    'PUT /api/maple/account',
    ({ actor, query: { id }, revision, body }) =>
      updateAccount(context, actor, { id, revision, change: body }),
  )

  addCall(
    app,
    mapleAccountCalls,
    'DELETE /api/maple/account',
    ({ actor, query: { id }, revision }) => removeAccount(context, actor, { id, revision }),
  )

  addCall(app, mapleAccountCalls, 'GET /api/maple/account/rights', ({ actor, query }) =>
    readAccountRights(context, actor, query),
  )

  addCall(app, mapleAccountCalls, 'GET /api/maple/account/own', ({ actor }) =>
    readOwnRights(context, actor),
  )

  addCall(app, mapleAccountCalls, 'POST /api/maple/roles', ({ actor, query }) =>
    grantRole(context, actor, query),
  )

  addCall(app, mapleAccountCalls, 'DELETE /api/maple/roles', ({ actor, query }) =>
    revokeRole(context, actor, query),
  )
}
