import { elementProfileCalls } from '@grove/contract/maple/card/profile'
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
  addCall(app, elementProfileCalls, 'GET /api/maple/se/profiles', ({ actor }) =>
    listProfiles(context, actor),
  )

  addCall(app, elementProfileCalls, 'POST /api/maple/se/profiles', ({ actor, body }) =>
    createProfile(context, actor, body),
  )

  addCall(app, elementProfileCalls, 'PUT /api/maple/se/profiles', ({ actor, body, revision }) =>
    assignProfile(context, actor, { ...body, revision }),
  )

  addCall(
    app,
    elementProfileCalls,
    'PUT /api/maple/se/profiles/name',
    ({ actor, query: { id }, body, revision }) =>
      changeProfile(context, actor, { id, revision, ...body }),
  )

  addCall(
    app,
    elementProfileCalls,
    'DELETE /api/maple/se/profiles',
    ({ actor, query: { id }, revision }) => removeProfile(context, actor, { id, revision }),
  )
}
