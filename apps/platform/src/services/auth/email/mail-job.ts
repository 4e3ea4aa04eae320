import type { Mail } from '../../../core/mail/mailer.ts'
import { JobError, type JobDefinition } from '../../../core/jobs/define-jobs.ts'
import type { AuthContext } from '../context.ts'

const hour = 3600_000

/**
 * Queues a mail in the transaction of what it reports. `null` queues a similar job that sends
 * nothing: a request for an unknown address does the same work as one for a known address. Does
 * nothing if mail is not configured.
 */
export async function queueMail({ db, jobs, mailer }: AuthContext, mail: Mail | null) {
  if (mailer !== null) await jobs.enqueue(db, 'mail.send', mail, { owner: null })
}

/** Derives the key that encrypts mails from the secret. */
export const mailPurpose = 'mail'

/**
 * No transaction is open while talking to the mail server. A process killed after the server accepted
 * the mail sends it again, with the same Message-ID.
 */
export const mailJob: JobDefinition<AuthContext, Mail | null> = {
  sealedFor: mailPurpose,
  // Owners could distinguish the mails; throttles bound what one person has sent.
  isOwnless: true,
  atOnce: 5,
  // Limited by time, not by attempts.
  maxAttempts: 1000,
  giveUpAfterMs: 72 * hour,
  canRun: ({ mailer }) => mailer !== null,
  async run({ mailer, now }, mail, { id }) {
    if (mailer === null || mail === null) return
    if (mail.expiresAt !== undefined && now() >= Date.parse(mail.expiresAt))
      throw new JobError('link_ended', 'Its link ended before it could be sent.', { isFinal: true })
    await mailer.send(mail, id).catch((cause: unknown) => {
      throw refusalOf(cause)
    })
  },
}

/** Without the mail server's message, which repeats the address. */
function refusalOf(cause: unknown): JobError {
  const { code = 'unknown', responseCode } = cause as { code?: string; responseCode?: number }
  return responseCode === undefined
    ? new JobError(code, 'The mail server is not responding.', { cause })
    : new JobError(code, `The mail server answered ${responseCode}.`, { cause })
}
