import { catalogueCalls } from '@grove/contract/cedar/catalogue'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { CedarContext } from '../context.ts'
import { getFromCatalogue, listCatalogue } from './catalogue.service.ts'

export function catalogueRoutes(app: FastifyInstance, context: CedarContext): void {
  addCall(app, catalogueCalls, 'GET /api/catalogue/product', (input) =>
    listCatalogue(context, input.actor, input.query),
  )
  addCall(app, catalogueCalls, 'GET /api/catalogue/product/{id}', (input) =>
    getFromCatalogue(context, input.actor, input.params),
  )
}
