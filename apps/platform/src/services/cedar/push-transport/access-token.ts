import { importPKCS8, SignJWT } from 'jose'
import { objectOf, type Connections } from './post-json.ts'
import type { ServiceAccount } from './push-settings.ts'

const scope = 'https://www.googleapis.com/auth/firebase.messaging'
const largestAnswer = 64 * 1024
/** A token is replaced this long before it expires. */
const marginMs = 60_000

export class NoAccessTokenError extends Error {
  override readonly name = 'NoAccessTokenError'
}

export interface AccessTokens {
  /** @throws NoAccessTokenError if the service returns none. */
  current: () => Promise<string>
  /** The service rejected this one. */
  drop: (token: string) => void
}

/**
 * OAuth tokens of a service account: a signed JWT is exchanged for one (RFC 7523), which is cached
 * until it expires. Concurrent requests share one exchange.
 */
export function accessTokens(
  { clientEmail, privateKey, tokenUrl }: ServiceAccount,
  { post }: Connections,
  now: () => number,
): AccessTokens {
  let kept: { token: string; until: number } | undefined
  let asking: Promise<string> | undefined

  async function ask(): Promise<string> {
    const seconds = Math.floor(now() / 1000)
    const assertion = await new SignJWT({ scope })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(clientEmail)
      .setAudience(tokenUrl)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + 3600)
      .sign(await importPKCS8(privateKey, 'RS256'))
    const form = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion,
    })
    const { status, text } = await post(new URL(tokenUrl), form.toString(), {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      largestAnswer,
    }).catch((cause: unknown) => {
      throw new NoAccessTokenError('The token service is not responding.', { cause })
    })
    const { access_token: token, expires_in: expires } = objectOf(text) ?? {}
    if (status !== 200 || typeof token !== 'string' || !/^[\x21-\x7e]{1,4096}$/.test(token))
      throw new NoAccessTokenError(`The token service answered ${status}.`)
    const lifetimeMs = typeof expires === 'number' && expires > 0 ? expires * 1000 : 0
    kept = { token, until: now() + Math.max(0, lifetimeMs - marginMs) }
    return token
  }

  return {
    current() {
      if (kept && kept.until > now()) return Promise.resolve(kept.token)
      asking ??= ask().finally(() => {
        asking = undefined
      })
      return asking
    },
    drop(token) {
      if (kept?.token === token) kept = undefined
    },
  }
}
