import { createAuthClient } from '@grove/auth-client'
import { queryOptions } from '@tanstack/react-query'
import { keysAddress, serviceFetch } from './service-fetch.ts'
import { stage } from './stage.ts'

const {
  auth_api_url: authUrl = '',
  auth_api_provider: realm,
  auth_public_key: publicKey,
} = stage.default

export const auth = createAuthClient({
  authUrl,
  realm,
  stage: stage.stage,
  apiVersion: stage.settings.authApiVersion,
  fetch: serviceFetch,
  verification: publicKey ? { publicKey } : { jwksUrl: keysAddress },
})

/** What the authentication service says of itself: where and how people sign in. */
export const infoQuery = queryOptions({
  queryKey: ['auth', 'stage'],
  queryFn: () => auth.stageAuth(),
  staleTime: Infinity,
})
