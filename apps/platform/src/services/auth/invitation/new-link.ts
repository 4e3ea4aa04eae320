import { linkMs } from '../email/email-token.ts'
import { createSecretToken, hashSecretToken } from '../secret-token.ts'
import { timeText } from '../session/parts/start-session.ts'

/** A link to an invitation, and what is stored of it. */
export function newLink(now: number) {
  const token = createSecretToken()
  return {
    token,
    hash: hashSecretToken(token),
    sent_at: timeText(now),
    expires_at: timeText(now + linkMs.invite),
  }
}
