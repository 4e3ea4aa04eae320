import type { Actor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import { record, type AuthContext, within } from '../context.ts'
import { hashPassword, isPasswordOf } from '../account/parts/password-hash.ts'
import { refusePassword } from '../account/parts/refuse-password.ts'
import { setPasswordHash, voidEmailTokens } from '../email/email.queries.ts'
import { passwordChangedMail } from '../email/mails.ts'
import { queueMail } from '../email/mail-job.ts'
import { endSessions } from '../session/account-session.service.ts'
import { lockLiveAccount, requireLiveSession } from '../session/parts/live-session.ts'
import { takePasswordAttempts } from '../session/parts/password-attempts.ts'
import { timeText } from '../session/parts/start-session.ts'
import { networkOf } from '../../../core/http/network.ts'

interface PasswordChange {
  password: string
  newPassword: string
  /** The base of the link in the mail; null if unknown. */
  publicOrigin: string | null
}

/**
 * Changes the actor's password, given the current one. It ends every other session and revokes every
 * mailed link for a new password. Of two concurrent changes, the second finds its current password
 * wrong.
 */
export async function changePassword(
  context: AuthContext,
  actor: Actor,
  { password, newPassword, publicOrigin }: PasswordChange,
): Promise<void> {
  const account = await requireLiveSession(context, actor)
  await refusePassword(context, newPassword, account.email, 'newPassword')
  // The same counters as sign-in: a stolen access token must not be a second way to guess.
  const giveBackAttempts = await takePasswordAttempts(context, actor, account.email ?? account.id)
  if (!(await isPasswordOf(account.password_hash, password))) throw wrongPassword()
  await giveBackAttempts()
  const newHash = await hashPassword(newPassword)
  await context.db.transaction().execute(async (tx) => {
    const inside = within(context, tx)
    const { id, email, locale, sessionId, password_hash } = await lockLiveAccount(inside, actor)
    if (password_hash !== account.password_hash) throw wrongPassword()
    await setPasswordHash(tx, id, newHash)
    await voidEmailTokens(tx, id, timeText(context.now()), 'reset')
    await record(tx, actor, 'account.change_password', id)
    await endSessions(inside, actor, { accountId: id, except: sessionId, reason: 'password' })
    if (email === null) return
    const at = timeText(context.now())
    const network = networkOf(actor.origin.ip)
    await queueMail(inside, passwordChangedMail({ to: email, locale, at, network, publicOrigin }))
  })
}

const wrongPassword = () => new ProblemError('wrong_password', 'The current password is wrong.')
