import { createAuthClient } from '@grove/auth-client'
import { fetchNotingRetryAfter } from './retry-after.ts'
import { stage } from './stage.ts'

const { auth_api_url: authUrl = '', auth_api_provider: realm, auth_jwks_url } = stage.default

export const auth = createAuthClient({
  authUrl,
  realm,
  stage: stage.stage,
  apiVersion: stage.settings.authApiVersion,
  fetch: fetchNotingRetryAfter,
  verification: { jwksUrl: auth_jwks_url ?? '/.well-known/jwks.json' },
})
