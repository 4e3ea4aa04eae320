import { randomUUID } from 'node:crypto'
import { audit } from '../../../core/audit.ts'
import type { Caller } from '../../../core/http/access.ts'
import type { Origin } from '../../../core/http/add-call.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import type { Auth } from '../auth.ts'
import { lockLiveAccount } from '../session/live-session.ts'
import { hashSecretToken } from '../secret-token.ts'
import { timeText } from '../session/start-session.ts'
import {
  deleteIdentity,
  insertUnlessLinked,
  readIdentities,
  takePendingLink,
  verifyEmail,
} from './identity.queries.ts'

/**
 * Links the identity of an external sign-in to the account that it was offered to. The token alone
 * does nothing: it works once, for fifteen minutes, and for whoever signed in to that account.
 */
export async function linkIdentity(
  auth: Auth,
  caller: Caller,
  linkToken: string,
  origin: Origin,
): Promise<void> {
  const now = timeText(auth.now())
  await auth.db.transaction().execute(async (tx) => {
    const account = await lockLiveAccount(auth, tx, caller)
    const link = await takePendingLink(tx, hashSecretToken(linkToken), account.id, now)
    if (!link)
      throw new ProblemError(
        'invalid_link_token',
        'This link has expired, was used, or belongs to another account. Start the sign-in again.',
      )
    const { broker, issuer, subject, name, email } = link
    const row = { id: randomUUID(), account_id: account.id, broker, issuer, subject, name, email }
    if (!(await insertUnlessLinked(tx, { ...row, linked_at: now, last_used_at: now })))
      throw new ProblemError('identity_taken', 'This identity is linked to an account already.')
    await verifyEmail(tx, account.id, email, now)
    await audit(tx, 'auth', {
      actor: account.id,
      action: 'identity.link',
      subject: row.id,
      origin,
      after: { broker, issuer, subject },
    })
  })
}

/** Takes an identity away from the caller's account, unless nothing else opens it. */
export async function unlinkIdentity(
  auth: Auth,
  caller: Caller,
  id: string,
  origin: Origin,
): Promise<void> {
  await auth.db.transaction().execute(async (tx) => {
    const account = await lockLiveAccount(auth, tx, caller)
    const identities = await readIdentities(tx, account.id)
    const identity = identities.find((candidate) => candidate.id === id)
    if (!identity) throw new ProblemError('not_found', 'This account has no such identity.')
    if (account.password_hash === null && identities.length === 1)
      throw new ProblemError(
        'last_sign_in_method',
        'This identity is the only way to sign in. Set a password or link another one first.',
      )
    await deleteIdentity(tx, id)
    const { broker, issuer, subject } = identity
    await audit(tx, 'auth', {
      actor: account.id,
      action: 'identity.unlink',
      subject: id,
      origin,
      before: { broker, issuer, subject },
    })
  })
}
