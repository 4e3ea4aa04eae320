import type { BodyOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { AnyActor } from '../../../core/actor.ts'
import { networkOf } from '../../../core/http/network.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import { storedName } from '../../../core/http/stored-name.ts'
import { findAccountByEmail, findAccountById } from '../account/account.queries.ts'
import { passwordErrors, refuseFields } from '../account/parts/account-fields.ts'
import { addAccount } from '../account/parts/create-account.ts'
import { hashPassword } from '../account/parts/password-hash.ts'
import { refusePassword } from '../account/parts/refuse-password.ts'
import { assertRealm, record, within, type AuthContext } from '../context.ts'
import { rememberNetwork } from '../email/email.queries.ts'
import { hashSecretToken } from '../secret-token.ts'
import { timeText } from '../session/parts/start-session.ts'
import { emailTokensOfNetwork } from '../throttle/limits.ts'
import { takeNetworkAttempt } from '../throttle/throttle.ts'
import {
  findInvitationByHash,
  lockInvitation,
  setAccepted,
  type InvitationRow,
} from './invitation.queries.ts'

type Check = Calls['POST /api/user/checkInvitation']

/** The offer behind a link, or why it no longer works; does not consume it. */
export async function checkInvitation(
  context: AuthContext,
  { origin }: AnyActor,
  { token, provider }: BodyOf<Check>,
): Promise<ResponseOf<Check>> {
  assertRealm(context, provider)
  await takeNetworkAttempt(context.db, emailTokensOfNetwork, origin.ip, context.now())
  const found = await findInvitationByHash(context.db, hashSecretToken(token))
  const { email, role, invited_by, expires_at: expiresAt } = await usable(context, found)
  const inviter = invited_by === null ? null : await findAccountById(context.db, invited_by)
  return { email, role, invitedBy: inviter?.email ?? inviter?.name ?? null, expiresAt }
}

/** Creates the account, with its address proven by the link; returns the address. */
export async function acceptInvitation(
  context: AuthContext,
  actor: AnyActor,
  body: BodyOf<Calls['POST /api/user/acceptInvitation']>,
): Promise<string> {
  const { origin } = actor
  assertRealm(context, body.provider)
  const name = storedName('name', body.name)
  refuseFields(passwordErrors(body.password))
  await takeNetworkAttempt(context.db, emailTokensOfNetwork, origin.ip, context.now())
  const hash = hashSecretToken(body.token)
  // A rejected password does not consume the link.
  const { email } = await usable(context, await findInvitationByHash(context.db, hash))
  await refusePassword(context, body.password, email)
  const passwordHash = await hashPassword(body.password)
  return context.db.transaction().execute(async (tx) => {
    const inside = within(context, tx)
    const { id, role } = await usable(inside, await lockInvitation(tx, { hash }))
    const at = timeText(context.now())
    const accountId = await addAccount(inside, actor, {
      email,
      emailVerifiedAt: at,
      passwordHash,
      roles: [role],
      name,
      locale: body.locale,
    })
    if (accountId === null) throw accountExists()
    await setAccepted(tx, id, { at, accountId })
    await rememberNetwork(tx, accountId, networkOf(origin.ip), at)
    await record(tx, { id: accountId, origin }, 'invitation.accept', id, {
      after: { accountId, role },
    })
    return email
  })
}

async function usable(
  { db, now }: AuthContext,
  invitation: InvitationRow | undefined,
): Promise<InvitationRow> {
  if (!invitation)
    throw new ProblemError(
      'invalid_email_token',
      'The link is not valid, or a newer one was sent. Open the newest one.',
    )
  if (invitation.accepted_at !== null)
    throw new ProblemError('invitation_accepted', 'The invitation was accepted. Sign in.')
  if (invitation.withdrawn_at !== null)
    throw new ProblemError('invitation_withdrawn', 'The invitation was withdrawn.')
  if (Date.parse(invitation.expires_at) <= now())
    throw new ProblemError('invitation_ended', 'The invitation has ended. Ask for another one.')
  if (await findAccountByEmail(db, invitation.email)) throw accountExists()
  return invitation
}

const accountExists = () =>
  new ProblemError('account_exists', 'The address has an account already. Sign in.')
