import { linkMs } from '../email/email-token.ts'
import { createSecretToken, hashSecretToken } from '../secret-token.ts'
import { timeText } from '../session/parts/start-session.ts'

/** The token of an invitation's link, and the columns that are stored for it. */
export function newLink(now: number) {
  const token = createSecretToken()
  return {
    token,
    hash: hashSecretToken(token),
    sent_at: timeText(now),
    expires_at: timeText(now + linkMs.invite),
  }
}
