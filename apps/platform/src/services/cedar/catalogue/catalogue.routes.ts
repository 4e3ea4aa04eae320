import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { Platform } from '../../../core/platform.ts'
import { getFromCatalogue, listCatalogue } from './catalogue.service.ts'

export function catalogueRoutes(app: FastifyInstance, platform: Platform): void {
  addCall(app, 'cedar', 'GET /api/catalogue/product', (input) =>
    listCatalogue(platform, input.query),
  )
  addCall(app, 'cedar', 'GET /api/catalogue/product/{id}', (input) =>
    getFromCatalogue(platform, input.params.id),
  )
}
