import { createAuthClient, ExternalLoginError, isEmail } from '@grove/auth-client'
import { createAdminSignIn } from '@grove/auth-client/server'

const authUrl = process.env['GROVE_AUTH_URL'] ?? ''
const seen: unknown[] = []

// A person's client.
const client = createAuthClient({
  authUrl,
  realm: 'grove',
  stage: 'fresh',
  verification: { jwksUrl: '/.well-known/jwks.json' },
})
seen.push(client.getState().status, isEmail('a@grove.test'))
const body = { email: 'a@grove.test', password: 'Grove2026!', provider: 'grove' }
seen.push(await client.signIn(body), client.getState().status)
const { is_valid, user_id } = await client.tokenDetails()
seen.push(is_valid, user_id, await client.refresh())
const failure = await client
  .completeExternalLogin('?state=made-up')
  .catch((error: unknown) => error)
seen.push(failure instanceof ExternalLoginError && failure.code)
await client.signOut()
seen.push(client.getState().status)

// The server's own sign-in, by the environment.
const admin = createAdminSignIn()
const response = await admin.fetch(`${authUrl}/api/admin/provider`, { apiVersion: '1.7' })
seen.push(response.status, (await admin.getAuthorization()).startsWith('Bearer '))

console.log(JSON.stringify(seen))
