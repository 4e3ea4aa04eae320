import { purposeKeyCalls } from '@grove/contract/maple/card/purpose-key'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { CardContext } from '../context.ts'
import { askTokens, listTokens } from './token.service.ts'
import {
  askPurposeKey,
  forgetPurposeKey,
  listPurposeKeys,
  repeatPurposeKey,
} from './purpose-key.service.ts'

export function registerPurposeKeys(app: FastifyInstance, context: CardContext): void {
  addCall(app, purposeKeyCalls, 'GET /api/maple/se/keys/purpose', ({ actor, query }) =>
    listPurposeKeys(context, actor, query),
  )

  addCall(app, purposeKeyCalls, 'POST /api/maple/se/keys/purpose', ({ actor, body }) =>
    askPurposeKey(context, actor, body),
  )

  addCall(app, purposeKeyCalls, 'PUT /api/maple/se/keys/purpose', ({ actor, query }) =>
    repeatPurposeKey(context, actor, query),
  )

  addCall(app, purposeKeyCalls, 'DELETE /api/maple/se/keys/purpose', ({ actor, query }) =>
    forgetPurposeKey(context, actor, query),
  )

  addCall(app, purposeKeyCalls, 'POST /api/maple/se/tokens', ({ actor, body }) =>
    askTokens(context, actor, body),
  )

  addCall(app, purposeKeyCalls, 'GET /api/maple/se/tokens', ({ actor, query }) =>
    listTokens(context, actor, query),
  )
}
