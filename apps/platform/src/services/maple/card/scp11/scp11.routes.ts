import { scp11Calls } from '@grove/contract/maple/card/scp11'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { KeyContext } from '../key/key-provider.ts'
import { addCredential, chooseDefault, listCredentials, removeCredential } from './scp11.service.ts'

export function registerScp11(app: FastifyInstance, context: KeyContext): void {
  addCall(app, scp11Calls, 'GET /api/maple/se/scp11', ({ actor, query }) =>
    listCredentials(context, actor, query),
  )

  addCall(app, scp11Calls, 'POST /api/maple/se/scp11', ({ actor, body }) =>
    addCredential(context, actor, body),
  )

  addCall(app, scp11Calls, 'PUT /api/maple/se/scp11/default', ({ actor, query, body }) =>
    chooseDefault(context, actor, { ...query, ...body }),
  )

  addCall(app, scp11Calls, 'DELETE /api/maple/se/scp11', ({ actor, query }) =>
    removeCredential(context, actor, query),
  )
}
