import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { Platform } from '../../../core/platform.ts'
import { actorOf } from '../actor.ts'
import {
  addLink,
  createProduct,
  deleteProduct,
  getProduct,
  listProducts,
  makeDefaultProduct,
  removeLink,
  updateProduct,
} from './product.service.ts'

export function productRoutes(app: FastifyInstance, platform: Platform): void {
  addCall(app, 'cedar', 'GET /api/developer/product', (input) =>
    listProducts(platform, actorOf(input), input.query),
  )
  addCall(app, 'cedar', 'POST /api/developer/product', (input) =>
    createProduct(platform, actorOf(input), input.body),
  )
  addCall(app, 'cedar', 'GET /api/developer/product/{id}', (input) =>
    getProduct(platform, actorOf(input), input.params.id),
  )
  addCall(app, 'cedar', 'PUT /api/developer/product/{id}', (input) =>
    updateProduct(
      platform,
      actorOf(input),
      input.params.id,
      input.body.translations,
      input.revision,
    ),
  )
  addCall(app, 'cedar', 'DELETE /api/developer/product/{id}', async (input) => {
    await deleteProduct(platform, actorOf(input), input.params.id)
    return null
  })
  addCall(app, 'cedar', 'POST /api/developer/product/default/{id}', (input) =>
    makeDefaultProduct(platform, actorOf(input), input.params.id),
  )
  addCall(app, 'cedar', 'PUT /api/developer/product/{id}/link', (input) =>
    addLink(platform, actorOf(input), input.params.id),
  )
  addCall(app, 'cedar', 'DELETE /api/developer/product/{id}/link', (input) =>
    removeLink(platform, actorOf(input), input.params.id),
  )
}
