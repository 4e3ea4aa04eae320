import { elementCalls } from '@grove/contract/maple/fleet/element'
import type { FastifyInstance } from 'fastify'
import { readStale } from '../../../../core/database/replica.ts'
import { addCall } from '../../../../core/http/add-call.ts'
import type { MapleContext } from '../../base/context.ts'
import { createElement, listElements, removeElement, unblockElement } from './element.service.ts'

export function registerElement(app: FastifyInstance, context: MapleContext): void {
  addCall(app, elementCalls, 'GET /api/maple/se/element', ({ actor, query }) =>
    readStale(context, actor, (from) => listElements(from, actor, query)),
  )

  addCall(app, elementCalls, 'POST /api/maple/se/element', ({ actor, body }) =>
    createElement(context, actor, body),
  )

  addCall(
    app,
    elementCalls,
    'DELETE /api/maple/se/element',
    ({ actor, query: { cplc }, revision }) => removeElement(context, actor, { cplc, revision }),
  )

  addCall(app, elementCalls, 'POST /api/maple/se/unblock', ({ actor, body }) =>
    unblockElement(context, actor, body),
  )
}
