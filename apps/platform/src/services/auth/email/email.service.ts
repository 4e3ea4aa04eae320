import type { BodyOf, Calls } from '@grove/contract'
import { audit } from '../../../core/audit.ts'
import type { Origin } from '../../../core/http/add-call.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import {
  emailErrors,
  normaliseEmail,
  passwordErrors,
  refuseFields,
} from '../account/account-fields.ts'
import type { AccountRow } from '../account/account.queries.ts'
import { hashPassword } from '../account/password-hash.ts'
import { refusePassword } from '../account/refuse-password.ts'
import { assertRealm, type Auth } from '../auth.ts'
import { endSessions } from '../session/account-session.service.ts'
import { timeText } from '../session/start-session.ts'
import type { AuthDb } from '../tables.ts'
import { emailTokensOfNetwork } from '../throttle/limits.ts'
import { networkOf } from '../throttle/network.ts'
import { takeAttempt } from '../throttle/throttle.ts'
import { hashSecretToken } from '../secret-token.ts'
import type { EmailPurpose } from './email-token.ts'
import {
  deleteIdentitiesOf,
  findAccountOfToken,
  lockAccountByEmail,
  setEmailVerified,
  setPasswordHash,
  useEmailToken,
  voidEmailTokens,
} from './email.queries.ts'
import { queueLink, takeMailAttempts } from './link.ts'
import { passwordChangedMail } from './mails.ts'
import { queueMail } from './outbox.ts'

type SendBody = BodyOf<Calls['POST /api/send/validateEmail']>

/**
 * Mails a link, when there is an account that it is for: an address to validate must not be
 * validated already, and a disabled account gets no mail. Whoever asks is told nothing of it.
 */
export async function sendLink(
  auth: Auth,
  purpose: EmailPurpose,
  body: SendBody,
  consoleOrigin: string,
  origin: Origin,
): Promise<void> {
  assertRealm(auth, body.provider)
  refuseFields(emailErrors(body.email))
  if (auth.mailer === null)
    throw new ProblemError(
      'mail_unavailable',
      'No mail can be sent from here. An administrator must set MAIL_URL.',
    )
  const email = normaliseEmail(body.email)
  await takeMailAttempts(auth, purpose, email, origin)
  await auth.db.transaction().execute(async (tx) => {
    const account = await lockAccountByEmail(tx, email)
    const isMeant =
      account?.disabled_at === null && (purpose === 'reset' || account.email_verified_at === null)
    await queueLink(auth, tx, purpose, email, isMeant ? account : null, consoleOrigin, origin)
  })
}

/** Validates the address that a link was mailed to, and answers it. */
export async function validateEmail(
  auth: Auth,
  body: BodyOf<Calls['POST /api/user/validateEmail']>,
  origin: Origin,
): Promise<string> {
  assertRealm(auth, body.provider)
  await takeAttempt(auth.db, emailTokensOfNetwork, networkOf(origin.ip), auth.now())
  return auth.db.transaction().execute(async (tx) => {
    const { id, email } = await takeToken(auth, tx, 'validate', body.token)
    await setEmailVerified(tx, id, timeText(auth.now()))
    const after = { email }
    await audit(tx, 'auth', {
      actor: id,
      action: 'account.validate_email',
      subject: id,
      origin,
      after,
    })
    return email
  })
}

/** Sets a new password by a mailed link, which proves the address too; answers the address. */
export async function resetPassword(
  auth: Auth,
  body: BodyOf<Calls['POST /api/user/resetPassword']>,
  consoleOrigin: string | null,
  origin: Origin,
): Promise<string> {
  assertRealm(auth, body.provider)
  refuseFields(passwordErrors(body.password))
  const network = networkOf(origin.ip)
  await takeAttempt(auth.db, emailTokensOfNetwork, network, auth.now())
  // A password that is refused leaves the link as it was.
  const { email } = await findOwner(auth, auth.db, 'reset', body.token)
  await refusePassword(auth, body.password, email)
  const hash = await hashPassword(body.password)
  await auth.db.transaction().execute(async (tx) => {
    const account = await takeToken(auth, tx, 'reset', body.token)
    await setPassword(auth, tx, account, hash, origin)
    const { locale } = account
    const at = timeText(auth.now())
    await queueMail(
      auth,
      tx,
      passwordChangedMail({ to: email, locale, at, network, consoleOrigin }),
    )
  })
  return email
}

/**
 * Nothing that was there before opens the account any longer: no session, no other link. Where the
 * address is proven for the first time, the account may have been made by somebody else, who linked
 * an identity to come back by; those are removed.
 */
async function setPassword(
  auth: Auth,
  tx: AuthDb,
  account: Owner,
  hash: string,
  origin: Origin,
): Promise<void> {
  const { id } = account
  const at = timeText(auth.now())
  await voidEmailTokens(tx, id, at)
  const removedIdentities =
    account.email_verified_at === null ? await deleteIdentitiesOf(tx, id) : []
  await setPasswordHash(tx, id, hash)
  await setEmailVerified(tx, id, at)
  await audit(tx, 'auth', {
    actor: id,
    action: 'account.reset_password',
    subject: id,
    origin,
    before: { hadPassword: account.password_hash !== null },
    after: { removedIdentities },
  })
  await endSessions(auth, tx, id, {}, 'password', { actor: id, origin })
}

/** An account that a link was mailed to has an address. */
type Owner = AccountRow & { email: string }

async function findOwner(
  auth: Auth,
  db: AuthDb,
  purpose: EmailPurpose,
  token: string,
): Promise<Owner> {
  const now = timeText(auth.now())
  const account = await findAccountOfToken(db, hashSecretToken(token), purpose, now)
  if (!account || account.email === null)
    throw new ProblemError(
      'invalid_email_token',
      'The link has ended, was used, or is not the newest one. Ask for another.',
    )
  return { ...account, email: account.email }
}

/** Uses a link up; of several uses at once, one has it. */
async function takeToken(
  auth: Auth,
  tx: AuthDb,
  purpose: EmailPurpose,
  token: string,
): Promise<Owner> {
  // Read again once the account is locked: its state and the link's may be others by then.
  await lockAccountByEmail(tx, (await findOwner(auth, tx, purpose, token)).email)
  const owner = await findOwner(auth, tx, purpose, token)
  await useEmailToken(tx, hashSecretToken(token), timeText(auth.now()))
  return owner
}
