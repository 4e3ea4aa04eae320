import { productCalls } from '@grove/contract/cedar/product'
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
  addCall(app, productCalls, 'GET /api/developer/product', (input) =>
    listProducts(context, input.actor, input.query),
  )
  addCall(app, productCalls, 'POST /api/developer/product', (input) =>
    createProduct(context, input.actor, input.body),
  )
  addCall(app, productCalls, 'GET /api/developer/product/{id}', (input) =>
    getProduct(context, input.actor, input.params),
  )
  addCall(app, productCalls, 'PUT /api/developer/product/{id}', (input) =>
    updateProduct(context, input.actor, {
      ...input.body,
      id: input.params.id,
      revision: input.revision,
    }),
  )
  addCall(app, productCalls, 'DELETE /api/developer/product/{id}', async (input) => {
    await deleteProduct(context, input.actor, input.params)
    return null
  })
  addCall(app, productCalls, 'POST /api/developer/product/default/{id}', (input) =>
    makeDefaultProduct(context, input.actor, input.params),
  )
}
