import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { CedarContext } from '../context.ts'
import {
  createProduct,
  deleteProduct,
  getProduct,
  listProducts,
  makeDefaultProduct,
  updateProduct,
} from './product.service.ts'

export function productRoutes(app: FastifyInstance, context: CedarContext): void {
  addCall(app, 'GET /api/developer/product', (input) =>
    listProducts(context, input.actor, input.query),
  )
  addCall(app, 'POST /api/developer/product', (input) =>
    createProduct(context, input.actor, input.body),
  )
  addCall(app, 'GET /api/developer/product/{id}', (input) =>
    getProduct(context, input.actor, input.params),
  )
  addCall(app, 'PUT /api/developer/product/{id}', (input) =>
    updateProduct(context, input.actor, {
      ...input.body,
      id: input.params.id,
      revision: input.revision,
    }),
  )
  addCall(app, 'DELETE /api/developer/product/{id}', async (input) => {
    await deleteProduct(context, input.actor, input.params)
    return null
  })
  addCall(app, 'POST /api/developer/product/default/{id}', (input) =>
    makeDefaultProduct(context, input.actor, input.params),
  )
}
