import { expect, vi } from 'vitest'
import type { JobTable } from '../../../../core/jobs/job-tables.ts'
import { listMails, mailFolderOf, type KeptMail } from '../../../../core/mail/mail-folder.ts'
import type { AuthServer } from '../../testing/auth-server.ts'

/** The mails that are queued or being sent. */
export const mailJobs = ({ db }: Pick<AuthServer, 'db'>) =>
  db
    .withTables<{ 'auth.job': JobTable }>()
    .selectFrom('auth.job')
    .selectAll()
    .where('name', '=', 'mail.send')
    .where('state', 'in', ['queued', 'running'])
    .execute()

/** Resolves when every queued mail is sent or has failed for good. */
export async function sendMails(server: Pick<AuthServer, 'db'>): Promise<void> {
  await vi.waitFor(async () => expect(await mailJobs(server)).toEqual([]), {
    timeout: 10_000,
    interval: 10,
  })
}

/** Mails to an address, newest first. */
export async function mailsTo(server: AuthServer, email: string): Promise<KeptMail[]> {
  await sendMails(server)
  const mails = await listMails(mailFolderOf(server.platform.config.dataFolder))
  return mails.filter(({ to }) => to === email)
}

/** The token of the newest mail with a token to an address. */
export async function newestToken(server: AuthServer, email: string): Promise<string> {
  const tokens = (await mailsTo(server, email)).map(({ text }) => /#([\w-]{43})/.exec(text)?.[1])
  const token = tokens.find((found) => found !== undefined)
  if (token === undefined) throw new Error(`${email} was sent no link.`)
  return token
}
