import { expect, vi } from 'vitest'
import { listMails, mailFolderOf, type KeptMail } from '../../../../core/mail/mail-folder.ts'
import type { AuthServer } from '../../testing/auth-server.ts'

/** Resolves when every mail that was queued is sent or given up. */
export async function emptyOutbox({ db }: Pick<AuthServer, 'db'>): Promise<void> {
  await vi.waitFor(
    async () => {
      const rows = await db.selectFrom('auth.mail').select('id').execute()
      expect(rows).toEqual([])
    },
    { timeout: 10_000, interval: 10 },
  )
}

/** What an address was sent, the newest first. */
export async function mailsTo(server: AuthServer, email: string): Promise<KeptMail[]> {
  await emptyOutbox(server)
  const mails = await listMails(mailFolderOf(server.platform.config.dataFolder))
  return mails.filter(({ to }) => to === email)
}

/** The token of the newest mail to an address that has one. */
export async function newestToken(server: AuthServer, email: string): Promise<string> {
  const tokens = (await mailsTo(server, email)).map(({ text }) => /#([\w-]{43})/.exec(text)?.[1])
  const token = tokens.find((found) => found !== undefined)
  if (token === undefined) throw new Error(`${email} was sent no link.`)
  return token
}
