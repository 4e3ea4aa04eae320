import type { HttpResponse } from '../http/request.ts'
import type { AuthClientOptions } from '../types.ts'
import { knownSkew } from './clock-skew.ts'
import { createSession, type Session } from './session.ts'
import { parseToken } from './token.ts'

/** The session in a response; null if its token has no token type. */
export type Receive = (send: () => Promise<HttpResponse>, kept?: Session) => Promise<Session | null>

export function createReceive({
  clock,
  rolesClaim,
}: Pick<AuthClientOptions, 'rolesClaim'> & { clock: () => number }): Receive {
  return async (send, kept) => {
    const askedAt = clock()
    const { body, headers } = await send()
    const token = parseToken(Object(body).token)
    if (!token) return null
    const answeredAt = clock()
    // If the clock was set back meanwhile, the response has an earlier time than the request.
    const sentAt = Math.min(askedAt, answeredAt)
    return createSession(
      // A service that does not rotate returns no refresh token: the old one stays valid.
      { ...kept?.token, ...token },
      {
        // The token was issued after this moment, so its lifetime never ends later than counted from
        // here.
        receivedAt: sentAt,
        known: knownSkew(sentAt, answeredAt, Date.parse(headers.get('date') ?? '')),
        userId: kept?.userId,
        rolesClaim,
      },
    )
  }
}
