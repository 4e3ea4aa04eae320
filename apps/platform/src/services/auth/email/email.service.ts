import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import { defaultSignUpRole } from '@grove/contract/auth/account.rules'
import type { AnyActor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import { assertRealm, record, type AuthContext, within } from '../context.ts'
import {
  emailErrors,
  normaliseEmail,
  passwordErrors,
  refuseFields,
} from '../account/parts/account-fields.ts'
import type { AccountRow } from '../account/account.queries.ts'
import { hashPassword } from '../account/parts/password-hash.ts'
import { refusePassword } from '../account/parts/refuse-password.ts'
import { endSessions } from '../session/account-session.service.ts'
import { timeText } from '../session/parts/start-session.ts'
import { emailTokensOfNetwork, signInsOfAccountInNetwork } from '../throttle/limits.ts'
import { networkOf } from '../../../core/http/network.ts'
import { forgetAttemptsOf, takeNetworkAttempt } from '../throttle/throttle.ts'
import { hashSecretToken } from '../secret-token.ts'
import type { EmailPurpose } from './email-token.ts'
import {
  clearSignUpProfile,
  deleteIdentitiesOf,
  findAccountOfToken,
  lockAccountByEmail,
  rememberNetwork,
  setEmailVerified,
  setPasswordHash,
  useEmailToken,
  voidEmailTokens,
} from './email.queries.ts'
import { queueLink, requireMail, takeMailAttempts } from './link.ts'
import { passwordChangedMail } from './mails.ts'
import { queueMail } from './mail-job.ts'

type LinkRequest = BodyOf<Calls['POST /api/send/validateEmail']> & {
  purpose: EmailPurpose
  publicOrigin: string
}

/**
 * Mails a link if the account qualifies: an address to validate must not be validated yet, and a
 * disabled account gets no mail. The answer is the same in every case.
 */
export async function sendLink(
  context: AuthContext,
  actor: AnyActor,
  { purpose, publicOrigin, ...body }: LinkRequest,
): Promise<void> {
  assertRealm(context, body.provider)
  refuseFields(emailErrors(body.email))
  requireMail(context)
  const email = normaliseEmail(body.email)
  await takeMailAttempts(context, actor, { purpose, email })
  await context.db.transaction().execute(async (tx) => {
    const account = await lockAccountByEmail(tx, email)
    const isMeant =
      account?.disabled_at === null && (purpose === 'reset' || account.email_verified_at === null)
    await queueLink(within(context, tx), actor, {
      purpose,
      email,
      account: isMeant ? account : null,
      publicOrigin,
    })
  })
}

/** Refuses an invalid link; does not consume a valid one. */
export async function checkLink(
  context: AuthContext,
  { origin }: AnyActor,
  body: BodyOf<Calls['POST /api/user/checkEmailToken']>,
): Promise<void> {
  assertRealm(context, body.provider)
  await takeNetworkAttempt(context.db, emailTokensOfNetwork, origin.ip, context.now())
  await findOwner(context, body.purpose, body.token)
}

/** Validates the address that a link was mailed to, and returns it. */
export async function validateEmail(
  context: AuthContext,
  { origin }: AnyActor,
  body: BodyOf<Calls['POST /api/user/validateEmail']>,
): Promise<string> {
  assertRealm(context, body.provider)
  await takeNetworkAttempt(context.db, emailTokensOfNetwork, origin.ip, context.now())
  return context.db.transaction().execute(async (tx) => {
    const { id, email } = await takeToken(within(context, tx), 'validate', body.token)
    await setEmailVerified(tx, id, timeText(context.now()))
    await rememberNetwork(tx, id, networkOf(origin.ip), timeText(context.now()))
    await record(tx, { id, origin }, 'account.validate_email', id, { after: { email } })
    return email
  })
}

/** Sets a new password with a mailed link, which also proves the address; returns the address. */
export async function resetPassword(
  context: AuthContext,
  actor: AnyActor,
  body: BodyOf<Calls['POST /api/user/resetPassword']> & { publicOrigin: string | null },
): Promise<string> {
  assertRealm(context, body.provider)
  refuseFields(passwordErrors(body.password))
  const network = networkOf(actor.origin.ip)
  await takeNetworkAttempt(context.db, emailTokensOfNetwork, actor.origin.ip, context.now())
  // A rejected password does not consume the link.
  const { email } = await findOwner(context, 'reset', body.token)
  await refusePassword(context, body.password, email)
  const hash = await hashPassword(body.password)
  await context.db.transaction().execute(async (tx) => {
    const inside = within(context, tx)
    const account = await takeToken(inside, 'reset', body.token)
    await setPassword(inside, actor, { account, hash })
    // Someone guessing passwords locks the owner out of unknown networks; this one is known now.
    await rememberNetwork(tx, account.id, network, timeText(context.now()))
    await forgetAttemptsOf(tx, signInsOfAccountInNetwork, `${email} ${network}`)
    const { locale } = account
    const { publicOrigin } = body
    const at = timeText(context.now())
    await queueMail(inside, passwordChangedMail({ to: email, locale, at, network, publicOrigin }))
  })
  return email
}

/**
 * Afterwards nothing older opens the account: no session, no other link. If the address was never
 * proven, somebody else may have created the account and linked an identity to come back with, so
 * linked identities are removed, and the name and role chosen at sign-up.
 */
async function setPassword(
  context: AuthContext,
  { origin }: AnyActor,
  { account, hash }: { account: Owner; hash: string },
): Promise<void> {
  const { id } = account
  const actor = { id, origin }
  const tx = context.db
  const at = timeText(context.now())
  await voidEmailTokens(tx, id, at)
  const isUnproven = account.email_verified_at === null
  const removedIdentities = isUnproven ? await deleteIdentitiesOf(tx, id) : []
  if (isUnproven) await forgetStranger(context, account)
  await setPasswordHash(tx, id, hash)
  await setEmailVerified(tx, id, at)
  await record(tx, actor, 'account.reset_password', id, {
    before: { hadPassword: account.password_hash !== null },
    after: { removedIdentities },
  })
  await endSessions(context, actor, { accountId: id, reason: 'password' })
}

/** If anyone may become a developer, the role is no privilege and the owner keeps it. */
async function forgetStranger({ db, settings }: AuthContext, { id, roles }: Owner): Promise<void> {
  await clearSignUpProfile(db, id, settings.hasSelfServiceDevelopers ? roles : [defaultSignUpRole])
}

/** An account that got a mailed link has an address. */
type Owner = AccountRow & { email: string }

async function findOwner(
  context: AuthContext,
  purpose: EmailPurpose,
  token: string,
): Promise<Owner> {
  const now = timeText(context.now())
  const account = await findAccountOfToken(context.db, hashSecretToken(token), purpose, now)
  if (!account || account.email === null)
    throw new ProblemError(
      'invalid_email_token',
      'The link has expired, was used, or is not the newest one. Request another one.',
    )
  return { ...account, email: account.email }
}

/** Consumes a link; of concurrent uses, one wins. */
async function takeToken(
  context: AuthContext,
  purpose: EmailPurpose,
  token: string,
): Promise<Owner> {
  // Reread after locking the account: its state and the link's may have changed.
  await lockAccountByEmail(context.db, (await findOwner(context, purpose, token)).email)
  const owner = await findOwner(context, purpose, token)
  await useEmailToken(context.db, hashSecretToken(token), timeText(context.now()))
  return owner
}
