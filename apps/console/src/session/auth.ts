import { createAuthClient } from '@grove/auth-client'
import { serviceFetch } from './service-fetch.ts'
import { stage } from './stage.ts'

const {
  auth_api_url: authUrl = '',
  auth_api_provider: realm,
  auth_jwks_url: jwksUrl = '/.well-known/jwks.json',
  auth_public_key: publicKey,
} = stage.default

export const auth = createAuthClient({
  authUrl,
  realm,
  stage: stage.stage,
  apiVersion: stage.settings.authApiVersion,
  fetch: serviceFetch,
  verification: publicKey ? { publicKey } : { jwksUrl },
})
