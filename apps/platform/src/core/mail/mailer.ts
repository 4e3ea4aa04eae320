import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import type { Config } from '../config.ts'

export interface Mail {
  to: string
  subject: string
  text: string
  /** The same in HTML. */
  html?: string
}

export interface Mailer {
  /** Resolves once the mail server, or the folder, has taken it. */
  send: (mail: Mail) => Promise<void>
}

/** How long a mail server may be silent, in milliseconds. */
const patienceMs = 15_000

/** `MAIL_URL`, else the folder `mail` of the data folder; null in production without `MAIL_URL`. */
export function openMailer(config: Config): Mailer | null {
  const { mailUrl, mailFrom: from, dataFolder, isProduction } = config
  if (mailUrl !== undefined) {
    const transport = createTransport({
      url: mailUrl,
      connectionTimeout: patienceMs,
      greetingTimeout: patienceMs,
      socketTimeout: patienceMs,
    })
    return { send: async (mail) => void (await transport.sendMail({ from, ...mail })) }
  }
  return isProduction ? null : folderMailer(mailFolderOf(dataFolder), from)
}

export const mailFolderOf = (dataFolder: string): string => join(dataFolder, 'mail')

/** Writes each mail as one `.eml` file, named so that a list by name is a list by time. */
function folderMailer(folder: string, from: string): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
  return {
    async send(mail) {
      const { message } = await transport.sendMail({ from, ...mail })
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const path = join(folder, `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID()}`)
      // A reader of the folder never sees half a mail.
      await writeFile(path, message, { mode: 0o600 })
      await rename(path, `${path}.eml`)
    },
  }
}
