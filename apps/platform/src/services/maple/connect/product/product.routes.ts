import { mapleProductCalls } from '@grove/contract/maple/connect/product'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { ConnectContext } from '../context.ts'
import {
  countDevices,
  createProduct,
  listProducts,
  moveProduct,
  removeProduct,
  updateProduct,
} from './product.service.ts'

export function registerProduct(app: FastifyInstance, context: ConnectContext): void {
  addCall(app, mapleProductCalls, 'GET /api/maple/products', ({ actor, query }) =>
    listProducts(context, actor, query),
  )
  addCall(app, mapleProductCalls, 'POST /api/maple/products', ({ actor, body }) =>
    createProduct(context, actor, body),
  )
  addCall(
    app,
    mapleProductCalls,
    'PUT /api/maple/products/{id}',
    ({ actor, params, revision, body }) =>
      updateProduct(context, actor, { ...params, revision, change: body }),
  )
  addCall(
    app,
    mapleProductCalls,
    'POST /api/maple/products/{id}/state',
    ({ actor, params, revision, body }) =>
      moveProduct(context, actor, { ...params, revision, ...body }),
  )
  addCall(
    app,
    mapleProductCalls,
    'DELETE /api/maple/products/{id}',
    ({ actor, params, revision }) => removeProduct(context, actor, { ...params, revision }),
  )
  addCall(app, mapleProductCalls, 'GET /api/maple/products/{id}/devices', ({ actor, params }) =>
    countDevices(context, actor, params),
  )
}
