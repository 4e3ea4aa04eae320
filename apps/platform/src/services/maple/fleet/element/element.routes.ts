import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { KeyContext } from '../../card/key/key-provider.ts'
import {
  createElement,
  listElements,
  removeElement,
  switchHsm,
  unblockElement,
} from './element.service.ts'

export function registerElement(app: FastifyInstance, context: KeyContext): void {
  addCall(app, 'GET /api/maple/se/element', ({ actor, query }) =>
    listElements(context, actor, query),
  )

  addCall(app, 'POST /api/maple/se/element', ({ actor, body }) =>
    createElement(context, actor, body),
  )

  addCall(app, 'DELETE /api/maple/se/element', ({ actor, query: { cplc }, revision }) =>
    removeElement(context, actor, { cplc, revision }),
  )

  addCall(app, 'POST /api/maple/se/hsm', ({ actor, body, revision }) =>
    switchHsm(context, actor, { ...body, revision }),
  )

  addCall(app, 'POST /api/maple/se/unblock', ({ actor, body }) =>
    unblockElement(context, actor, body),
  )
}
