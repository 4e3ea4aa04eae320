import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { listMails, mailFolderOf, readMessage } from './mail-folder.ts'
import { openMailer } from './mailer.ts'
import { startSmtpServer } from './testing/smtp-server.ts'

let data: string
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'grove-mail-'))
})
afterAll(() => rm(data, { recursive: true }))

test('without MAIL_URL mails are stored in the data folder, and in production there is no mailer', async () => {
  const secret = 'c71cf32f1e39492f9ccbd07b720a30d59b3bce2c1d10db4ccf3a62a8ce50341a'
  expect(openMailer(readConfig({ GROVE_ENV: 'production', GROVE_SECRET: secret }))).toBeNull()
  const mailer = openMailer(readConfig({ GROVE_DATA: data }))
  await mailer?.send({ to: 'a@grove.test', subject: 'Тема', text: 'Текст\n', html: '<p>Текст</p>' })
  const [mail] = await listMails(mailFolderOf(data))
  expect(mail).toMatchObject({ to: 'a@grove.test', subject: 'Тема', text: 'Текст\n' })
  const message = await readMessage(mailFolderOf(data), mail?.id ?? '')
  expect(message?.toString()).toContain('To: a@grove.test')
})

test('no value can add a header or a recipient', async () => {
  const mailer = openMailer(readConfig({ GROVE_DATA: data }))
  const injection = '\r\nBcc: victim@grove.test\r\n\r\nbody'
  await mailer?.send({
    to: `a@grove.test, victim@grove.test${injection}`,
    subject: `Subject${injection}`,
    text: 'Text',
  })
  const [mail] = await listMails(mailFolderOf(data))
  const message = (await readMessage(mailFolderOf(data), mail?.id ?? ''))?.toString() ?? ''
  const head = message.slice(0, message.indexOf('\n\n'))
  expect(head).not.toMatch(/^(Bcc|Cc)/im)
  expect(head.match(/^To:/gm)).toHaveLength(1)
  expect(message.slice(head.length).trim()).toBe('Text')
})

test('a password is never sent to a remote mail server that offers no encryption', async () => {
  // The mailer does not recognise this name as loopback, though it is this machine.
  const smtp = await startSmtpServer('127.0.0.2')
  const { port } = new URL(smtp.url)
  const mail = { to: 'a@grove.test', subject: 'Subject', text: 'Text' }
  const guarded = openMailer(readConfig({ MAIL_URL: `smtp://user:pa55word@127.0.0.2:${port}` }))
  await expect(guarded?.send(mail)).rejects.toMatchObject({ code: 'ETLS' })
  expect(smtp.commands.join('\n')).not.toMatch(/AUTH|MAIL/)
  // A relay in one's own network that asks for no password may go without.
  await openMailer(readConfig({ MAIL_URL: `smtp://127.0.0.2:${port}` }))?.send(mail)
  expect(smtp.mails).toMatchObject([{ to: ['a@grove.test'] }])
  await smtp.stop()
})
