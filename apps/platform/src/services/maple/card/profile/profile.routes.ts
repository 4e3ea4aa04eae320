import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { MapleContext } from '../../base/context.ts'
import {
  assignProfile,
  changeProfile,
  createProfile,
  listProfiles,
  removeProfile,
} from './profile.service.ts'

export function registerProfile(app: FastifyInstance, context: MapleContext): void {
  addCall(app, 'GET /api/maple/se/profiles', ({ actor }) => listProfiles(context, actor))

  addCall(app, 'POST /api/maple/se/profiles', ({ actor, body }) =>
    createProfile(context, actor, body),
  )

  addCall(app, 'PUT /api/maple/se/profiles', ({ actor, body, revision }) =>
    assignProfile(context, actor, { ...body, revision }),
  )

  addCall(app, 'PUT /api/maple/se/profiles/name', ({ actor, query: { id }, body, revision }) =>
    changeProfile(context, actor, { id, revision, ...body }),
  )

  addCall(app, 'DELETE /api/maple/se/profiles', ({ actor, query: { id }, revision }) =>
    removeProfile(context, actor, { id, revision }),
  )
}
