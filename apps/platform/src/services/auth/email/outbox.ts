import { randomUUID } from 'node:crypto'
import { setTimeout as setTimeoutPromise } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { withoutRow } from '../../../core/http/error-handler.ts'
import type { Mail, Mailer } from '../../../core/mail/mailer.ts'
import type { AuthContext } from '../context.ts'
import { seal, unseal } from '../../../core/sealed.ts'
import { timeText } from '../session/start-session.ts'
import {
  claimMails,
  deleteMail,
  insertMail,
  postponeMail,
  type ClaimedMail,
} from './outbox.queries.ts'

const second = 1000
const hour = 60 * 60 * second

const purpose = 'mail'
// Longer than any of our mails: a copy of the table does not tell one from another, nor from none.
const paddedBytes = 8192

/** How often mail is looked for that another process left behind or that waits for its next attempt. */
const pollMs = 5 * second
/** For the transaction that queued a mail to be committed. */
const commitMs = 50
const atOnce = 5
/** Longer than a mail server may stall one attempt: the mail is another process's after this. */
const claimMs = 5 * 60 * second
const firstDelayMs = 10 * second
const longestDelayMs = hour
const giveUpMs = 72 * hour
const closeMs = 5 * second

/**
 * Promises a mail in the transaction of what it tells. `null` writes a row alike that is never sent:
 * a request for an address that nobody uses does the same work as one that somebody does.
 * Does nothing where no mail can be sent.
 */
export async function queueMail(context: AuthContext, mail: Mail | null): Promise<void> {
  if (context.mailer === null) return
  const json = JSON.stringify(mail)
  const text = json + ' '.repeat(Math.max(0, paddedBytes - Buffer.byteLength(json)))
  const at = timeText(context.now())
  await insertMail(context.db, {
    id: randomUUID(),
    sealedMail: seal(text, context.secret, purpose),
    at,
  })
  context.events.emit('mailQueued')
}

/**
 * Sends what is queued, by this process and by others, until the server closes. A mail is claimed,
 * sent and then deleted, with no transaction open while the mail server is talked to; a process
 * killed between the last two sends it again, under the same Message-ID.
 */
export function startOutbox(app: FastifyInstance, context: AuthContext): void {
  const { mailer } = context
  if (mailer === null) return
  let running: Promise<void> | null = null
  let soon: NodeJS.Timeout | undefined
  let isClosing = false

  const run = () => {
    if (isClosing) return
    running ??= sendDueMails(context, mailer, () => isClosing)
      .catch((error: Error) =>
        app.log.warn({ err: withoutRow(error) }, 'The outbox could not be read'),
      )
      .finally(() => {
        running = null
      })
  }
  const onQueued = () => {
    soon ??= setTimeout(() => {
      soon = undefined
      // One that runs now may have looked before this mail was there.
      void Promise.resolve(running).then(run)
    }, commitMs)
  }
  context.events.on('mailQueued', onQueued)
  const poll = setInterval(run, pollMs)
  app.addHook('onClose', async () => {
    isClosing = true
    context.events.off('mailQueued', onQueued)
    clearInterval(poll)
    clearTimeout(soon)
    // What a slow mail server keeps longer is claimed anew after a while.
    await Promise.race([running, setTimeoutPromise(closeMs, undefined, { ref: false })])
  })
}

async function sendDueMails(
  context: AuthContext,
  mailer: Mailer,
  isClosing: () => boolean,
): Promise<void> {
  while (!isClosing()) {
    const now = context.now()
    const mails = await claimMails(context.db, timeText(now), timeText(now + claimMs), atOnce)
    const wereSent = await Promise.all(mails.map((mail) => deliver(context, mailer, mail)))
    // With nothing sent the mail server is down: the rest waits for the next look.
    if (!wereSent.includes(true)) return
  }
}

/** Whether the mail is gone: taken by the mail server, or a row without one. */
async function deliver(context: AuthContext, mailer: Mailer, row: ClaimedMail): Promise<boolean> {
  if (context.now() >= Date.parse(row.created_at) + giveUpMs) return giveUp(context, row)
  try {
    // Fails for what another secret has sealed, which is kept until it is too late.
    const mail = JSON.parse(unseal(row.sealed_mail, context.secret, purpose)) as Mail | null
    if (mail !== null) {
      if (hasEnded(mail, context.now())) return await giveUp(context, row)
      await mailer.send(mail, row.id)
    }
  } catch (error) {
    const delayMs = Math.min(firstDelayMs * 2 ** (row.attempts - 1), longestDelayMs)
    await postponeMail(context.db, row.id, timeText(context.now() + delayMs))
    warn(context, { attempts: row.attempts, ...reasonOf(error) }, 'A mail is tried again later')
    return false
  }
  await deleteMail(context.db, row.id)
  return true
}

const hasEnded = ({ expiresAt }: Mail, now: number): boolean =>
  expiresAt !== undefined && now >= Date.parse(expiresAt)

async function giveUp(context: AuthContext, row: ClaimedMail): Promise<false> {
  await deleteMail(context.db, row.id)
  warn(context, { attempts: row.attempts - 1 }, 'A mail could not be sent in time and is given up')
  return false
}

const warn = (context: AuthContext, fields: object, message: string) =>
  context.events.emit('warning', fields, message)

/** Without the message, in which mail servers repeat the address. */
function reasonOf(error: unknown): { code?: string; responseCode?: number } {
  const { code, responseCode } = error as { code?: string; responseCode?: number }
  return { code, responseCode }
}
