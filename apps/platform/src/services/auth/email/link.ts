import { defaultLocale } from '@grove/contract/locale.rules'
import type { AnyActor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import { mailUnavailable } from '../auth.rules.ts'
import type { AuthContext } from '../context.ts'
import { timeText } from '../session/parts/start-session.ts'
import { mailsOfAddress, mailsOfAddressInNetwork, mailsOfNetwork } from '../throttle/limits.ts'
import { networkOf } from '../../../core/http/network.ts'
import { takeAttempt, takeNetworkAttempt } from '../throttle/throttle.ts'
import { createSecretToken, hashSecretToken } from '../secret-token.ts'
import { linkMs, linkOf, type EmailPurpose, type LinkPurpose } from './email-token.ts'
import { insertEmailToken, voidEmailTokens } from './email.queries.ts'
import { linkMail } from './mails.ts'
import { queueMail } from './mail-job.ts'

/** @throws ProblemError if the service cannot send mail. */
export function requireMail({ mailer }: AuthContext): void {
  if (mailer !== null) return
  const { code, detail } = mailUnavailable()
  throw new ProblemError(code, detail)
}

/**
 * In this order, each only if the previous one passes: one network must not exhaust what an address
 * has for all. Keyed by the input, so unknown addresses are limited too.
 */
export async function takeMailAttempts(
  context: AuthContext,
  { origin }: AnyActor,
  { purpose, email }: { purpose: LinkPurpose; email: string },
): Promise<void> {
  await takeNetworkAttempt(context.db, mailsOfNetwork, origin.ip, context.now())
  await takeMailAttemptsOf(context, { origin }, { purpose, email })
}

/** The same for an administrator, who has other limits: counts only mails to one address. */
export async function takeMailAttemptsOf(
  { db, now }: AuthContext,
  { origin }: Pick<AnyActor, 'origin'>,
  { purpose, email }: { purpose: LinkPurpose; email: string },
): Promise<void> {
  const network = networkOf(origin.ip)
  await takeAttempt(db, mailsOfAddressInNetwork, `${purpose} ${email} ${network}`, now())
  await takeAttempt(db, mailsOfAddress, `${purpose} ${email}`, now())
}

interface NewLink {
  purpose: EmailPurpose
  email: string
  /** null if the address belongs to no account that qualifies for the link. */
  account: { id: string; locale: string } | null
  publicOrigin: string
}

/**
 * Queues the mail with a new link in a transaction and revokes older links of the purpose. Without an
 * account it does the same work, so timing does not reveal which addresses have one.
 */
export async function queueLink(
  context: AuthContext,
  { origin }: AnyActor,
  { purpose, email, account, publicOrigin }: NewLink,
): Promise<void> {
  const tx = context.db
  const now = context.now()
  const expiresAt = timeText(now + linkMs[purpose])
  const token = createSecretToken()
  await voidEmailTokens(tx, account?.id ?? null, timeText(now), purpose)
  await insertEmailToken(tx, {
    hash: hashSecretToken(token),
    account_id: account?.id ?? null,
    purpose,
    email: account ? email : '',
    created_at: timeText(now),
    expires_at: expiresAt,
  })
  const mail = linkMail(purpose, {
    to: email,
    locale: account?.locale ?? defaultLocale,
    link: linkOf(publicOrigin, purpose, token),
    expiresAt,
    network: networkOf(origin.ip),
  })
  await queueMail(context, account && mail)
}
