import { productVersionCalls } from '@grove/contract/cedar/product-version'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { CedarContext } from '../context.ts'
import {
  createVersion,
  deleteVersion,
  getVersion,
  listVersions,
  updateVersion,
} from './product-version.service.ts'
import { listReleases } from './release.service.ts'

export function productVersionRoutes(app: FastifyInstance, context: CedarContext): void {
  addCall(app, productVersionCalls, 'GET /api/developer/productVersion', (input) =>
    listVersions(context, input.actor, input.query),
  )
  addCall(app, productVersionCalls, 'POST /api/developer/productVersion', (input) =>
    createVersion(context, input.actor, input.body),
  )
  addCall(app, productVersionCalls, 'GET /api/developer/productVersion/{id}', (input) =>
    getVersion(context, input.actor, input.params),
  )
  addCall(app, productVersionCalls, 'PUT /api/developer/productVersion/{id}', (input) =>
    updateVersion(context, input.actor, {
      ...input.body,
      id: input.params.id,
      revision: input.revision,
    }),
  )
  addCall(app, productVersionCalls, 'GET /api/developer/product/{id}/release', (input) =>
    listReleases(context, input.actor, { productId: input.params.id, ...input.query }),
  )
  addCall(app, productVersionCalls, 'DELETE /api/developer/productVersion/{id}', async (input) => {
    await deleteVersion(context, input.actor, input.params)
    return null
  })
}
