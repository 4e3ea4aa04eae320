import { defaultLocale } from '@grove/contract/locale.rules'
import type { Origin } from '../../../core/http/add-call.ts'
import type { Auth } from '../auth.ts'
import { timeText } from '../session/start-session.ts'
import type { AuthDb } from '../tables.ts'
import { mailsOfAddress, mailsOfAddressInNetwork, mailsOfNetwork } from '../throttle/limits.ts'
import { networkOf } from '../throttle/network.ts'
import { takeAttempt } from '../throttle/throttle.ts'
import { createSecretToken, hashSecretToken } from '../secret-token.ts'
import { linkMs, linkOf, type EmailPurpose } from './email-token.ts'
import { insertEmailToken, voidEmailTokens } from './email.queries.ts'
import { linkMail } from './mails.ts'
import { queueMail } from './outbox.ts'

/**
 * In this order, each only when the one before allows it: one network must not use up what an
 * address has for all. Keyed by what was typed, so an unknown address is limited alike.
 */
export async function takeMailAttempts(
  auth: Auth,
  purpose: EmailPurpose,
  email: string,
  origin: Origin,
): Promise<void> {
  const network = networkOf(origin.ip)
  const now = auth.now()
  await takeAttempt(auth.db, mailsOfNetwork, network, now)
  await takeAttempt(auth.db, mailsOfAddressInNetwork, `${purpose} ${email} ${network}`, now)
  await takeAttempt(auth.db, mailsOfAddress, `${purpose} ${email}`, now)
}

/**
 * Queues the mail with a new link and makes older links of the purpose void. Without an account it
 * does the same work for nobody, so that the time taken does not tell which addresses have one.
 */
export async function queueLink(
  auth: Auth,
  tx: AuthDb,
  purpose: EmailPurpose,
  email: string,
  account: { id: string; locale: string } | null,
  consoleOrigin: string,
  origin: Origin,
): Promise<void> {
  const now = auth.now()
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
    link: linkOf(consoleOrigin, purpose, token),
    expiresAt,
    network: networkOf(origin.ip),
  })
  await queueMail(auth, tx, account && mail)
}
