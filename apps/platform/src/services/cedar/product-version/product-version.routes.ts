import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { Platform } from '../../../core/platform.ts'
import { actorOf } from '../actor.ts'
import {
  createVersion,
  deleteVersion,
  getVersion,
  listVersions,
  updateVersion,
} from './product-version.service.ts'

export function productVersionRoutes(app: FastifyInstance, platform: Platform): void {
  addCall(app, 'cedar', 'GET /api/developer/productVersion', (input) =>
    listVersions(platform, actorOf(input), input.query),
  )
  addCall(app, 'cedar', 'POST /api/developer/productVersion', (input) =>
    createVersion(platform, actorOf(input), input.body),
  )
  addCall(app, 'cedar', 'GET /api/developer/productVersion/{id}', (input) =>
    getVersion(platform, actorOf(input), input.params.id),
  )
  addCall(app, 'cedar', 'PUT /api/developer/productVersion/{id}', (input) =>
    updateVersion(platform, actorOf(input), input.params.id, input.body, input.revision),
  )
  addCall(app, 'cedar', 'DELETE /api/developer/productVersion/{id}', async (input) => {
    await deleteVersion(platform, actorOf(input), input.params.id)
    return null
  })
}
