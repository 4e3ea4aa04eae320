import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { MapleContext } from '../../base/context.ts'
import { createElement, listElements, removeElement, unblockElement } from './element.service.ts'

export function registerElement(app: FastifyInstance, context: MapleContext): void {
  addCall(app, 'GET /api/maple/se/element', ({ actor, query }) =>
    listElements(context, actor, query),
  )

  addCall(app, 'POST /api/maple/se/element', ({ actor, body }) =>
    createElement(context, actor, body),
  )

  addCall(app, 'DELETE /api/maple/se/element', ({ actor, query: { cplc }, revision }) =>
    removeElement(context, actor, { cplc, revision }),
  )

  addCall(app, 'POST /api/maple/se/unblock', ({ actor, body }) =>
    unblockElement(context, actor, body),
  )
}
