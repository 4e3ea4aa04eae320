import { createAuthClient } from '@grove/auth-client'
import { isEmail, isExternalLoginError } from '@grove/auth-client/rules'
import { createAdminSignIn } from '@grove/auth-client/server'

const authUrl = process.env['GROVE_AUTH_URL'] ?? ''
const seen: unknown[] = []

// A person's client.
const client = createAuthClient({
  authUrl,
  realm: 'grove',
  stage: 'fresh',
  onError: () => {},
  verification: { jwksUrl: '/.well-known/jwks.json' },
})
seen.push(client.getState().status, isEmail('a@grove.test'))
const body = { email: 'a@grove.test', password: 'Grove2026!', provider: 'grove' }
seen.push(await client.signIn(body), client.getState().status)
const { is_valid, user_id } = await client.tokenDetails()
seen.push(is_valid, user_id, await client.refresh())
await client.completeExternalLogin('?state=made-up', {
  onAnswer: ({ body }) => seen.push(isExternalLoginError(body) && body.code),
})
await client.signOut()
seen.push(client.getState().status)

// The server's own sign-in, from the environment.
const admin = createAdminSignIn()
const response = await admin.fetch(`${authUrl}/api/admin/provider`, { apiVersion: '1.7' })
seen.push(response.status, (await admin.getAuthorization()).startsWith('Bearer '))

console.log(JSON.stringify(seen))
