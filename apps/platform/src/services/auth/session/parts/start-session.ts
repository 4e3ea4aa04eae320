import { randomUUID } from 'node:crypto'
import type { AnyActor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { record, type AuthContext } from '../../context.ts'
import { signAccessToken } from '../../access-token.ts'
import type { Signer } from '../../signing-key/parts/key-ring.ts'
import { networkOf } from '../../../../core/http/network.ts'
import { createSecretToken, hashSecretToken } from '../../secret-token.ts'
import {
  insertRefreshToken,
  insertSession,
  shareAccount,
  type NewSession,
  type SessionLife,
} from '../session.queries.ts'

/** A type and not an interface: it must fit the contract's record. */
export type IssuedToken = { tokenType: string; accessToken: string; refreshToken: string }

const day = 24 * 60 * 60 * 1000
/** Idle timeout: a session expires if it is not refreshed for this long. */
export const idleMs = 30 * day
/** Absolute timeout, however often the session is refreshed. */
const absoluteMs = 90 * day

export const timeText = (ms: number): string => new Date(ms).toISOString()

/** Whether a session was ended or has expired. */
export function isOver(session: SessionLife, now: number): boolean {
  return (
    session.ended_at !== null ||
    Date.parse(session.idle_expires_at) <= now ||
    Date.parse(session.expires_at) <= now
  )
}

export const accountDisabled = () =>
  new ProblemError('account_disabled', 'This account is disabled. Ask an administrator.')

interface SessionStart {
  signer: Signer
  account: { id: string; roles: readonly string[] }
  method: NewSession['method']
  /** The identity that an external sign-in used. */
  identityId?: string
}

/**
 * Starts a new refresh family in a transaction; never continues one, so nothing is carried over a
 * sign-in.
 * @throws ProblemError `account_disabled`, also if the account was disabled a moment ago.
 */
export async function startSession(
  context: AuthContext,
  { origin }: AnyActor,
  { signer, account, method, identityId }: SessionStart,
): Promise<IssuedToken> {
  const tx = context.db
  const now = context.now()
  const id = randomUUID()
  const found = await shareAccount(tx, account.id)
  if (!found) throw new ProblemError('unauthorized', 'This account no longer exists.')
  if (found.disabled_at !== null) throw accountDisabled()
  await insertSession(tx, {
    id,
    accountId: account.id,
    network: networkOf(origin.ip),
    userAgent: origin.userAgent,
    method,
    identityId: identityId ?? null,
    createdAt: timeText(now),
    idleExpiresAt: timeText(now + idleMs),
    expiresAt: timeText(now + absoluteMs),
  })
  await record(tx, { id: account.id, origin }, 'session.start', id, { after: { method } })
  return issueToken(context, signer, { userId: account.id, roles: account.roles, sessionId: id })
}

/** A new token pair for a session. */
export async function issueToken(
  context: AuthContext,
  signer: Signer,
  subject: { userId: string; roles: readonly string[]; sessionId: string },
): Promise<IssuedToken> {
  const refreshToken = createSecretToken()
  await insertRefreshToken(context.db, hashSecretToken(refreshToken), subject.sessionId)
  const accessToken = await signAccessToken(context, signer, subject)
  return { tokenType: 'Bearer', accessToken, refreshToken }
}
