import { externalCalls } from '@grove/contract/auth/external'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import { assertRealm, type AuthContext } from '../context.ts'
import { findProvider, openExternal } from './external.ts'
import { signInExternally } from './external.service.ts'
import { brokerLoginInfo, redirectUrls, stageLoginInfo } from './login-info.ts'

export function addExternalRoutes(app: FastifyInstance, context: AuthContext): void {
  const external = openExternal(app, context)

  addCall(app, externalCalls, 'GET /api/stage/auth', ({ request }) =>
    stageLoginInfo(external, request),
  )

  addCall(app, externalCalls, 'GET /api/info', ({ query, request }) => {
    assertRealm(context, query.provider)
    return brokerLoginInfo(external, findProvider(context, query.broker), request)
  })

  addCall(app, externalCalls, 'GET /api/info/global', ({ query, request }) =>
    brokerLoginInfo(external, findProvider(context, query.broker), request),
  )

  addCall(
    app,
    externalCalls,
    'POST /api/token/external/{broker}',
    ({ params, body, actor, request }) =>
      signInExternally(external, actor, {
        ...body,
        broker: params.broker,
        redirectUrls: redirectUrls(context.config, request),
        log: request.log,
      }),
  )
}
