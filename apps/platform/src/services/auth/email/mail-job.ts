import type { Mail } from '../../../core/mail/mailer.ts'
import { JobError, type JobDefinition } from '../../../core/jobs/define-jobs.ts'
import type { AuthContext } from '../context.ts'

const hour = 3600_000

/**
 * Promises a mail in the transaction of what it reports. `null` writes a job alike that sends
 * nothing: a request for an unknown address does the same work as one for a known address.
 * Does nothing where no mail can be sent.
 */
export async function queueMail({ db, jobs, mailer }: AuthContext, mail: Mail | null) {
  if (mailer !== null) await jobs.enqueue(db, 'mail.send', mail, { owner: null })
}

/** Separates the key that seals mails from other keys of the secret. */
export const mailPurpose = 'mail'

/**
 * The mail server is talked to without an open transaction. A process that is killed after the mail
 * was taken sends it again, under the same Message-ID.
 */
export const mailJob: JobDefinition<AuthContext, Mail | null> = {
  sealedFor: mailPurpose,
  // An owner would tell one mail from another; throttles bound what one person has sent.
  isOwnless: true,
  atOnce: 5,
  // Its time limits it, not its attempts.
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

/** Without the mail server's words, in which it repeats the address. */
function refusalOf(cause: unknown): JobError {
  const { code = 'unknown', responseCode } = cause as { code?: string; responseCode?: number }
  return responseCode === undefined
    ? new JobError(code, 'The mail server does not answer.', { cause })
    : new JobError(code, `The mail server answered ${responseCode}.`, { cause })
}
