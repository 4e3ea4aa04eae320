import { providerAdminCalls } from '@grove/contract/cedar/provider-admin'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { CedarContext } from '../context.ts'
import {
  changeUser,
  createProvider,
  deleteProvider,
  listProviders,
  readProvider,
  readStorage,
  renameProvider,
  revokeKey,
  updateProvider,
} from './provider-admin.service.ts'
import { listTransfers, transferApps, undoTransfer } from './transfer.service.ts'

export function providerAdminRoutes(app: FastifyInstance, context: CedarContext): void {
  addCall(app, providerAdminCalls, 'GET /api/admin/provider', ({ actor, query }) =>
    listProviders(context, actor, query),
  )

  addCall(
    app,
    providerAdminCalls,
    'PUT /api/admin/provider/{id}',
    ({ actor, params: { id }, revision, body }) =>
      updateProvider(context, actor, { id, revision, change: body }),
  )

  addCall(app, providerAdminCalls, 'GET /api/provider/{id}/storage', ({ actor, params }) =>
    readStorage(context, actor, params),
  )

  addCall(
    app,
    providerAdminCalls,
    'DELETE /api/admin/provider/{id}/key/{keyId}',
    ({ actor, params, revision }) => revokeKey(context, actor, { ...params, revision }),
  )

  addCall(app, providerAdminCalls, 'GET /api/cedar/provider', ({ actor, query: { provider } }) =>
    readProvider(context, actor, { id: provider }),
  )

  addCall(app, providerAdminCalls, 'POST /api/cedar/provider', ({ actor, body }) =>
    createProvider(context, actor, body),
  )

  addCall(app, providerAdminCalls, 'PUT /api/cedar/provider', ({ actor, revision, body }) =>
    renameProvider(context, actor, { revision, change: body }),
  )

  addCall(
    app,
    providerAdminCalls,
    'DELETE /api/cedar/provider',
    async ({ actor, query: { provider }, revision }) => {
      await deleteProvider(context, actor, { id: provider, revision })
      return null
    },
  )

  addCall(app, providerAdminCalls, 'POST /api/cedar/user', ({ actor, body }) =>
    changeUser(context, actor, body),
  )

  addCall(app, providerAdminCalls, 'POST /api/cedar/apps/transfer', ({ actor, body }) =>
    transferApps(context, actor, body),
  )

  addCall(app, providerAdminCalls, 'GET /api/cedar/apps/transfer', ({ actor, query }) =>
    listTransfers(context, actor, query),
  )

  addCall(app, providerAdminCalls, 'POST /api/cedar/apps/transfer/{id}/undo', ({ actor, params }) =>
    undoTransfer(context, actor, params),
  )
}
