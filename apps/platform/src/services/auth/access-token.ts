import { SignJWT } from 'jose'
import { randomUUID } from 'node:crypto'
import { accessTokenSeconds } from '../../core/http/access-token-lifetime.ts'
import type { AuthContext } from './context.ts'
import type { Signer } from './signing-key/parts/key-ring.ts'

interface Subject {
  userId: string
  roles: readonly string[]
  sessionId?: string
}

/** A JWT access token (RFC 9068) of ten minutes. */
export function signAccessToken(
  context: AuthContext,
  signer: Signer,
  subject: Subject,
): Promise<string> {
  const issuedAt = Math.floor(context.now() / 1000)
  const { userId, roles, sessionId } = subject
  const { issuer: iss, audience: aud } = context.config.tokens
  const claims = { iss, aud, provider: context.config.realm, roles: [...roles] }
  return new SignJWT(sessionId === undefined ? claims : { ...claims, sid: sessionId })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: signer.kid })
    .setSubject(userId)
    .setJti(randomUUID())
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + accessTokenSeconds)
    .sign(signer.key)
}
