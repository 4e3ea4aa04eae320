import { randomUUID } from 'node:crypto'
import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { Invitation } from '@grove/contract/auth/invitation'
import type { Actor } from '../../../core/actor.ts'
import { fieldProblem, ProblemError } from '../../../core/http/problem.ts'
import { findAccountByEmail } from '../account/account.queries.ts'
import { emailErrors, normaliseEmail, refuseFields } from '../account/parts/account-fields.ts'
import { requireAdmin } from '../account-admin/account-admin.service.ts'
import { assertAllowed, rightsOf } from '../auth.rules.ts'
import { record, within, type AuthContext } from '../context.ts'
import { linkOf } from '../email/email-token.ts'
import { requireMail, takeMailAttempts } from '../email/link.ts'
import { queueMail } from '../email/mail-job.ts'
import { invitationMail } from '../email/mails.ts'
import { timeText } from '../session/parts/start-session.ts'
import type { LiveAccount } from '../session/parts/live-session.ts'
import { lockAccounts } from '../session/session.queries.ts'
import {
  findInvitation,
  insertInvitation,
  invitationList,
  lockInvitation,
  setLink,
  setWithdrawn,
  type InvitationFacts,
} from './invitation.queries.ts'
import { newLink } from './new-link.ts'

/** @throws BadCursorError for a cursor of another list. */
export async function listInvitations(
  context: AuthContext,
  actor: Actor,
  { q, ...query }: QueryOf<Calls['GET /api/admin/invitation']>,
): Promise<ResponseOf<Calls['GET /api/admin/invitation']>> {
  await requireAdmin(context, actor)
  const prefix = normaliseEmail(q?.trim() ?? '')
  const page = await invitationList.read(
    context.db,
    { ...query, ...(prefix !== '' && { prefix }) },
    timeText(context.now()),
  )
  return { ...page, items: page.items.map((found) => shown(context, actor, found)) }
}

function shown(
  { mailer }: AuthContext,
  actor: Actor,
  { hasAccount, ...invitation }: InvitationFacts,
): Invitation {
  const state = { ...invitation, hasAccount, hasMail: mailer !== null }
  const rights = rightsOf(actor, state, {
    send: 'invitation.send',
    withdraw: 'invitation.withdraw',
  })
  return { ...invitation, rights }
}

type NewInvitation = BodyOf<Calls['POST /api/admin/invitation']> & { publicOrigin: string }

/** Mails a link with which a person creates an account with the role. */
export async function invite(
  context: AuthContext,
  actor: Actor,
  { publicOrigin, ...body }: NewInvitation,
): Promise<Invitation> {
  await requireAdmin(context, actor)
  refuseFields(emailErrors(body.email))
  requireMail(context)
  const email = normaliseEmail(body.email)
  // Outside the transaction: a refusal must not undo the count.
  await refuseAccount(context, email)
  await takeMailAttempts(context, actor, { purpose: 'invite', email })
  return changeInvitations(context, actor, async (inside, inviter) => {
    const id = randomUUID()
    const { role, locale } = body
    const { token, ...link } = newLink(inside.now())
    await refuseAccount(inside, email)
    const wasAdded = await insertInvitation(inside.db, {
      ...link,
      id,
      email,
      role,
      locale,
      invited_by: actor.id,
      created_at: link.sent_at,
    })
    if (!wasAdded)
      throw fieldProblem(
        'already_invited',
        'email',
        'This address is invited already. Send that invitation again, or withdraw it first.',
      )
    await record(inside.db, actor, 'invitation.create', id, { after: { email, role, locale } })
    await mailLink(inside, inviter, { ...link, email, role, locale, token, publicOrigin })
    return id
  })
}

async function refuseAccount({ db }: AuthContext, email: string): Promise<void> {
  if (await findAccountByEmail(db, email))
    throw fieldProblem('account_exists', 'email', 'This address has an account already.')
}

/** Mails a new link, which revokes older ones; an expired invitation becomes valid again. */
export async function sendAgain(
  context: AuthContext,
  actor: Actor,
  { id, publicOrigin }: { id: string; publicOrigin: string },
): Promise<Invitation> {
  await requireAdmin(context, actor)
  const { email } = await requireInvitation(context, id)
  await takeMailAttempts(context, actor, { purpose: 'invite', email })
  return changeInvitations(context, actor, async (inside, inviter) => {
    const invitation = await lockedInvitation(inside, id)
    const hasMail = context.mailer !== null
    assertAllowed(actor, 'invitation.send', { ...invitation, hasMail })
    const { token, ...link } = newLink(inside.now())
    await setLink(inside.db, invitation.id, link)
    await record(inside.db, actor, 'invitation.send', invitation.id, { after: { email } })
    await mailLink(inside, inviter, { ...link, ...invitation, token, publicOrigin })
    return invitation.id
  })
}

/** From now on its link says that the invitation was withdrawn. */
export async function withdraw(context: AuthContext, actor: Actor, id: string): Promise<void> {
  await changeInvitations(context, actor, async (inside) => {
    const invitation = await lockedInvitation(inside, id)
    assertAllowed(actor, 'invitation.withdraw', invitation)
    await setWithdrawn(inside.db, invitation.id, timeText(context.now()))
    const { email } = invitation
    await record(inside.db, actor, 'invitation.withdraw', invitation.id, { before: { email } })
    return invitation.id
  })
}

/**
 * Changes one invitation in a transaction, with the administrator locked: someone who is being
 * demoted at the same moment leaves no invitation behind.
 */
async function changeInvitations(
  context: AuthContext,
  actor: Actor,
  change: (inside: AuthContext, inviter: LiveAccount) => Promise<string>,
): Promise<Invitation> {
  return context.db.transaction().execute(async (tx) => {
    const inside = within(context, tx)
    await lockAccounts(tx, [actor.id])
    const inviter = await requireAdmin(inside, actor)
    const id = await change(inside, inviter)
    return shown(context, actor, await requireInvitation(inside, id))
  })
}

async function requireInvitation({ db, now }: AuthContext, id: string): Promise<InvitationFacts> {
  const found = await findInvitation(db, id, timeText(now()))
  if (!found) throw new ProblemError('not_found', 'The invitation does not exist.')
  return found
}

async function lockedInvitation(context: AuthContext, id: string): Promise<InvitationFacts> {
  await lockInvitation(context.db, { id })
  return requireInvitation(context, id)
}

type LinkMail = Pick<InvitationFacts, 'email' | 'role' | 'locale'> & {
  token: string
  expires_at: string
  publicOrigin: string
}

async function mailLink(
  context: AuthContext,
  inviter: LiveAccount,
  { email, role, locale, token, expires_at: expiresAt, publicOrigin }: LinkMail,
): Promise<void> {
  const mail = invitationMail({
    to: email,
    locale,
    link: linkOf(publicOrigin, 'invite', token),
    expiresAt,
    role,
    inviter: inviter.email ?? inviter.name,
  })
  await queueMail(context, mail)
}
