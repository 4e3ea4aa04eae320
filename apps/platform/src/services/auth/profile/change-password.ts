import { audit } from '../../../core/audit.ts'
import type { Caller } from '../../../core/http/access.ts'
import type { Origin } from '../../../core/http/add-call.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import { hashPassword, isPasswordOf } from '../account/password-hash.ts'
import { refusePassword } from '../account/refuse-password.ts'
import type { Auth } from '../auth.ts'
import { setPasswordHash, voidEmailTokens } from '../email/email.queries.ts'
import { passwordChangedMail } from '../email/mails.ts'
import { queueMail } from '../email/outbox.ts'
import { endSessions } from '../session/account-session.service.ts'
import { lockLiveAccount, requireLiveSession } from '../session/live-session.ts'
import { takePasswordAttempts } from '../session/password-attempts.ts'
import { timeText } from '../session/start-session.ts'
import type { AuthDb } from '../tables.ts'
import { networkOf } from '../throttle/network.ts'

/**
 * Changes the caller's password by the present one; every other session ends, and every link to a
 * new password that was mailed. Of two changes at once the second finds its present password wrong.
 */
export async function changePassword(
  auth: Auth,
  caller: Caller,
  body: { password: string; newPassword: string },
  origin: Origin,
  consoleOrigin: string | null,
): Promise<void> {
  const account = await requireLiveSession(auth, auth.db, caller)
  await refusePassword(auth, body.newPassword, account.email, 'newPassword')
  // The counters of sign-in: a stolen access token is no second way to guess.
  const giveBackAttempts = await takePasswordAttempts(auth, account.email ?? account.id, origin)
  if (!(await isPasswordOf(account.password_hash, body.password))) throw wrongPassword()
  await giveBackAttempts()
  const newHash = await hashPassword(body.newPassword)
  await auth.db.transaction().execute(async (tx) => {
    const { id, email, locale, sessionId, password_hash } = await lockLiveAccount(auth, tx, caller)
    if (password_hash !== account.password_hash) throw wrongPassword()
    await setPasswordHash(tx, id, newHash)
    await voidEmailTokens(tx, id, timeText(auth.now()), 'reset')
    await audit(tx, 'auth', { actor: id, action: 'account.change_password', subject: id, origin })
    await endSessions(auth, tx, id, { except: sessionId }, 'password', { actor: id, origin })
    if (email !== null) await tellOwner(auth, tx, { to: email, locale, consoleOrigin, origin })
  })
}

function tellOwner(
  auth: Auth,
  tx: AuthDb,
  mail: { to: string; locale: string; consoleOrigin: string | null; origin: Origin },
): Promise<void> {
  const { to, locale, consoleOrigin, origin } = mail
  const at = timeText(auth.now())
  const network = networkOf(origin.ip)
  return queueMail(auth, tx, passwordChangedMail({ to, locale, at, network, consoleOrigin }))
}

const wrongPassword = () => new ProblemError('wrong_password', 'The present password is wrong.')
