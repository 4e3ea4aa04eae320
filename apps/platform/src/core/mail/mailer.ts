import { createTransport } from 'nodemailer'
import type { Config } from '../config.ts'
import { isLoopbackName } from '../environment.ts'
import { keepMail, mailFolderOf } from './mail-folder.ts'

export interface Mail {
  to: string
  subject: string
  text: string
  /** The same in HTML. */
  html?: string
  /** Not worth sending after this: its link has expired. */
  expiresAt?: string
}

export interface Mailer {
  /**
   * Resolves once the mail server, or the folder, has accepted it. A mail sent twice has the same
   * `id`.
   */
  send: (mail: Mail, id?: string) => Promise<void>
}

/** How long a mail server may be silent, in milliseconds. */
const patienceMs = 15_000

/** `MAIL_URL`, else the folder `mail` of the data folder; null in production without `MAIL_URL`. */
export function openMailer(config: Config): Mailer | null {
  const { mailUrl, mailFrom, dataFolder, isProduction } = config
  if (mailUrl !== undefined) return smtpMailer(mailUrl, mailFrom)
  return isProduction ? null : folderMailer(mailFolderOf(dataFolder), mailFrom)
}

function smtpMailer(url: string, from: string): Mailer {
  const transport = createTransport({
    url,
    connectionTimeout: patienceMs,
    greetingTimeout: patienceMs,
    socketTimeout: patienceMs,
    dnsTimeout: patienceMs,
    // A password never crosses a network in plain text; `?requireTLS=false` in the URL allows it.
    requireTLS: hasPassword(new URL(url)),
  })
  return { send: async (mail, id) => void (await transport.sendMail(messageOf(mail, from, id))) }
}

const hasPassword = ({ password, hostname }: URL): boolean =>
  password !== '' && !isLoopbackName(hostname)

/** Stores each mail in a folder, for the page that lists them and for any mail program. */
function folderMailer(folder: string, from: string): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
  return {
    async send(mail, id) {
      const { message } = await transport.sendMail(messageOf(mail, from, id))
      await keepMail(folder, { from, ...mail }, message)
    },
  }
}

function messageOf({ to, subject, text, html }: Mail, from: string, id: string | undefined) {
  return {
    from,
    // An object: a string would be parsed as a list of addresses.
    to: { name: '', address: to },
    subject,
    text,
    html,
    // Mail servers drop duplicates by it.
    ...(id !== undefined && { messageId: `<${id}@${domainOf(from)}>` }),
    // No automatic replies (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

const domainOf = (from: string): string => /@([\w.-]+)>?\s*$/.exec(from)?.[1] ?? 'localhost'
