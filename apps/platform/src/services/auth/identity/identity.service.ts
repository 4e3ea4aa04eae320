import { randomUUID } from 'node:crypto'
import type { Actor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import { assertAllowed } from '../auth.rules.ts'
import { record, type AuthContext, within } from '../context.ts'
import { endSessions } from '../session/account-session.service.ts'
import { lockLiveAccount } from '../session/parts/live-session.ts'
import { hashSecretToken } from '../secret-token.ts'
import { timeText } from '../session/parts/start-session.ts'
import {
  deleteIdentity,
  insertUnlessLinked,
  readIdentities,
  takePendingLink,
  verifyEmail,
} from './identity.queries.ts'

/**
 * Links the identity of an external sign-in to the account that it was offered to. The token alone
 * does nothing: it works once, for fifteen minutes, and only in a session of that account.
 */
export async function linkIdentity(
  context: AuthContext,
  actor: Actor,
  { linkToken }: { linkToken: string },
): Promise<void> {
  const now = timeText(context.now())
  await context.db.transaction().execute(async (tx) => {
    const account = await lockLiveAccount(within(context, tx), actor)
    const link = await takePendingLink(tx, hashSecretToken(linkToken), account.id, now)
    if (!link)
      throw new ProblemError(
        'invalid_link_token',
        'This link has expired, was used, or belongs to another account. Start the sign-in again.',
      )
    const { broker, issuer, subject, name, email } = link
    const row = { id: randomUUID(), account_id: account.id, broker, issuer, subject, name, email }
    if (!(await insertUnlessLinked(tx, { ...row, linked_at: now, last_used_at: now })))
      throw new ProblemError('identity_taken', 'This identity is already linked to an account.')
    await verifyEmail(tx, account.id, email, now)
    await record(tx, actor, 'identity.link', row.id, { after: { broker, issuer, subject } })
  })
}

/**
 * Removes an identity from the actor's account, unless it is the only way to sign in, and ends the
 * sessions that it started, except the actor's own.
 */
export async function unlinkIdentity(
  context: AuthContext,
  actor: Actor,
  { id }: { id: string },
): Promise<void> {
  await context.db.transaction().execute(async (tx) => {
    const account = await lockLiveAccount(within(context, tx), actor)
    const identities = await readIdentities(tx, account.id)
    const identity = identities.find((candidate) => candidate.id === id)
    if (!identity) throw new ProblemError('not_found', 'This account has no such identity.')
    assertAllowed(actor, 'identity.unlink', {
      hasPassword: account.password_hash !== null,
      identityCount: identities.length,
    })
    await deleteIdentity(tx, id)
    const { broker, issuer, subject } = identity
    await record(tx, actor, 'identity.unlink', id, { before: { broker, issuer, subject } })
    // A session that the identity started must not outlive it.
    await endSessions(within(context, tx), actor, {
      accountId: account.id,
      ofIdentity: id,
      except: account.sessionId,
      reason: 'unlinked',
    })
  })
}
