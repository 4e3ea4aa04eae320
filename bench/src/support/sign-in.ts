import { jsonOf, type Send } from './http-client.ts'

export const samplePassword = 'Grove2026!'

/** Password of accounts that a benchmark signs up: that of the sample is refused. */
export const ownPassword = 'Meadow!2847'
export type SampleRole = 'admin' | 'developer'

// Half of an access token's ten minutes.
const tokenLifeMs = 300_000

/** The `authorization` header of a sample account, kept fresh while a benchmark runs. */
export function createSignIn(send: Send, role: SampleRole) {
  let current: { authorization: string } | undefined
  let signedInAt = 0
  return async () => {
    if (current && Date.now() - signedInAt < tokenLifeMs) return current
    const answer = await send('POST', '/api/token/password', {
      body: { email: `${role}@grove.test`, password: samplePassword, provider: 'grove' },
    })
    const { token }: { token: { accessToken: string } } = jsonOf(answer)
    signedInAt = Date.now()
    current = { authorization: `Bearer ${token.accessToken}` }
    return current
  }
}
