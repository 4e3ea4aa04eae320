import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto'

// Tokens like Keycloak's: RS256, `typ: JWT` in the header and `Bearer` or `ID` in the payload.

export interface ForeignUser {
  id: string
  email: string
  password: string
  roles: string[]
}

export type TokenMint = ReturnType<typeof createTokenMint>

export function createTokenMint(issuer: () => string, realm: string) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const kid = randomUUID()
  const secret = randomUUID()
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const now = () => Math.floor(Date.now() / 1000)

  const claims = (seconds: number) => ({
    exp: now() + seconds,
    iat: now(),
    jti: randomUUID(),
    iss: issuer(),
  })

  return {
    jwks: () => ({
      keys: [{ ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' }],
    }),
    access(user: ForeignUser | null, session: string, seconds: number): string {
      const input = `${part({ alg: 'RS256', typ: 'JWT', kid })}.${part({
        ...claims(seconds),
        aud: 'account',
        sub: user?.id ?? randomUUID(),
        typ: 'Bearer',
        azp: 'grove-console',
        sid: session,
        'allowed-origins': ['*'],
        realm_access: { roles: user?.roles ?? [] },
        scope: 'openid profile offline_access',
        roles: user?.roles ?? [],
        provider: realm,
        ...(user && { email: user.email, preferred_username: user.email, email_verified: true }),
      })}`
      return `${input}.${sign('RSA-SHA256', Buffer.from(input), privateKey).toString('base64url')}`
    },
    /** Opaque to everyone else: its key never leaves this service. */
    refresh(user: ForeignUser, session: string): string {
      const input = `${part({ alg: 'HS512', typ: 'JWT' })}.${part({
        ...claims(1800),
        aud: issuer(),
        sub: user.id,
        typ: 'Refresh',
        sid: session,
      })}`
      return `${input}.${createHmac('sha512', secret).update(input).digest('base64url')}`
    },
  }
}
