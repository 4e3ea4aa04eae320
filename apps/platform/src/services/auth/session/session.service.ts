import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import { randomUUID } from 'node:crypto'
import { atMostOfKey } from '../../../core/at-most.ts'
import type { AnyActor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import { assertRealm, record, type AuthContext, within } from '../context.ts'
import { signAccessToken } from '../access-token.ts'
import { seal, unseal } from '../../../core/sealed.ts'
import type { Signer } from '../signing-key/parts/key-ring.ts'
import { anonymousTokensOfNetwork, refreshesOfSession } from '../throttle/limits.ts'
import { networkOf } from '../../../core/http/network.ts'
import { takeAttempt, takeNetworkAttempt } from '../throttle/throttle.ts'
import { hashSecretToken } from '../secret-token.ts'
import {
  isRefreshToken,
  lockSessionOf,
  readRefreshToken,
  setSessionEnd,
  touchSession,
  useRefreshToken,
  type LockedSession,
} from './session.queries.ts'
import {
  accountDisabled,
  idleMs,
  isOver,
  issueToken,
  timeText,
  type IssuedToken,
} from './parts/start-session.ts'

// A client whose response was lost, or whose tabs refresh concurrently, retries within this time.
const graceMs = 10_000
const answerPurpose = 'refresh answer'

type RefreshBody = BodyOf<Calls['POST /api/token/refresh']>

/**
 * Exchanges a refresh token for a new pair. The token just used gets the same answer for ten seconds;
 * any older one ends the session, since either its use now or its earlier use was by a thief.
 */
export async function refreshSession(
  context: AuthContext,
  actor: AnyActor,
  body: RefreshBody,
): Promise<IssuedToken> {
  assertRealm(context, body.provider)
  return inLine(networkOf(actor.origin.ip), async () => {
    // A made-up token costs one read, and no transaction.
    if (!(await isRefreshToken(context.db, hashSecretToken(body.refreshToken)))) throw sessionOver()
    const signer = await context.keys.signer()
    const token = await context.db
      .transaction()
      .execute((tx) => exchange(within(context, tx), actor, signer, body.refreshToken))
    if (token === null) throw sessionOver()
    return token
  })
}

// Fewer than the database connections: a network that floods with tokens queues for itself and does
// not block others.
const inLine = atMostOfKey(4)

/** Null if the session was ended for reuse, which must be committed rather than thrown. */
async function exchange(
  context: AuthContext,
  actor: AnyActor,
  signer: Signer,
  refreshToken: string,
): Promise<IssuedToken | null> {
  const tx = context.db
  const now = context.now()
  const hash = hashSecretToken(refreshToken)
  const session = await lockSessionOf(tx, hash)
  if (!session) throw sessionOver()
  const { used_at, sealed_answer, roles, disabled_at } = await readRefreshToken(tx, hash)
  // Before the session: disabling ended it, and its owner should be told why.
  if (disabled_at !== null) throw accountDisabled()
  if (isOver(session, now)) throw sessionOver()
  // In this transaction: a refusal does not undo what was counted before.
  if (used_at === null) await takeAttempt(tx, refreshesOfSession, session.id, now)
  if (used_at === null) return rotate(context, actor, signer, refreshToken, { ...session, roles })
  if (sealed_answer !== null && now - Date.parse(used_at) < graceMs)
    return JSON.parse(unseal(sealed_answer, refreshToken, answerPurpose)) as IssuedToken
  await end(context, actor, session, 'reuse')
  return null
}

/**
 * The answer is stored encrypted under a key derived from the token that it answers: a client that
 * retries with that token gets it, and the database alone yields no token.
 */
async function rotate(
  context: AuthContext,
  { origin }: AnyActor,
  signer: Signer,
  refreshToken: string,
  session: LockedSession & { roles: readonly string[] },
): Promise<IssuedToken> {
  const tx = context.db
  const now = context.now()
  const { id, account_id: userId, roles } = session
  const answer = await issueToken(context, signer, { userId, roles, sessionId: id })
  const sealed = seal(JSON.stringify(answer), refreshToken, answerPurpose)
  await useRefreshToken(tx, id, hashSecretToken(refreshToken), timeText(now), sealed)
  const idleEnd = Math.min(now + idleMs, Date.parse(session.expires_at))
  await touchSession(tx, id, {
    at: timeText(now),
    idleExpiresAt: timeText(idleEnd),
    network: networkOf(origin.ip),
    userAgent: origin.userAgent,
  })
  return answer
}

/** Ends the session of a refresh token; no error if it is unknown or already ended. */
export async function endSession(
  context: AuthContext,
  actor: AnyActor,
  body: RefreshBody,
): Promise<void> {
  assertRealm(context, body.provider)
  await context.db.transaction().execute(async (tx) => {
    const session = await lockSessionOf(tx, hashSecretToken(body.refreshToken))
    if (session && session.ended_at === null)
      await end(within(context, tx), actor, session, 'logout')
  })
}

/** A token for public data: it has no roles and no session, and cannot be refreshed. */
export async function issueAnonymousToken(context: AuthContext, { origin }: AnyActor) {
  await takeNetworkAttempt(context.db, anonymousTokensOfNetwork, origin.ip, context.now())
  const signer = await context.keys.signer()
  const accessToken = await signAccessToken(context, signer, { userId: randomUUID(), roles: [] })
  return { tokenType: 'Bearer', accessToken }
}

async function end(
  context: AuthContext,
  { origin }: AnyActor,
  session: LockedSession,
  reason: 'logout' | 'reuse',
): Promise<void> {
  await setSessionEnd(context.db, session.id, timeText(context.now()), reason)
  // The person who reuses a token has it, but need not be the account's owner.
  const id = reason === 'logout' ? session.account_id : null
  const action = reason === 'logout' ? 'session.end' : 'session.revoke'
  await record(context.db, { id, origin }, action, session.id, { after: { reason } })
}

const sessionOver = () =>
  new ProblemError('invalid_refresh_token', 'The session has ended. Sign in again.')
