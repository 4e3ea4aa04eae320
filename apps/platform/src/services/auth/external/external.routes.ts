import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import { assertRealm, type Auth } from '../auth.ts'
import { findProvider, openExternal } from './external.ts'
import { signInExternally } from './external.service.ts'
import { brokerLoginInfo, redirectUrls, stageLoginInfo } from './login-info.ts'

export function addExternalRoutes(app: FastifyInstance, auth: Auth): void {
  const external = openExternal(app, auth)

  addCall(app, 'auth', 'GET /api/stage/auth', ({ request }) => stageLoginInfo(external, request))

  addCall(app, 'auth', 'GET /api/info', ({ query, request }) => {
    assertRealm(auth, query.provider)
    return brokerLoginInfo(external, findProvider(auth.config, query.broker), request)
  })

  addCall(app, 'auth', 'GET /api/info/global', ({ query, request }) =>
    brokerLoginInfo(external, findProvider(auth.config, query.broker), request),
  )

  addCall(app, 'auth', 'POST /api/token/external/{broker}', ({ params, body, origin, request }) =>
    signInExternally(external, params.broker, body, {
      origin,
      redirectUrls: redirectUrls(auth.config, request),
      log: request.log,
    }),
  )
}
