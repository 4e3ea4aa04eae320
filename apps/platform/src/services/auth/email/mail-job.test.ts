import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { readConfig } from '../../../core/config.ts'
import { buildApp } from '../../../core/http/app.ts'
import { openMailer } from '../../../core/mail/mailer.ts'
import { startSmtpServer, type SmtpServer } from '../../../core/mail/testing/smtp-server.ts'
import { within } from '../context.ts'
import { auth } from '../index.ts'
import type { JobTable } from '../../../core/jobs/job-tables.ts'
import { seal, unseal } from '../../../core/sealed.ts'
import { startAuthServer, type AuthServer } from '../testing/auth-server.ts'
import { queueMail } from './mail-job.ts'
import { mailJobs, sendMails } from './testing/mailbox.ts'

let server: AuthServer
let smtp: SmtpServer
let warnings: { fields: unknown; message?: string }[] = []
beforeAll(async () => {
  smtp = await startSmtpServer()
  const mailer = openMailer(
    readConfig({ MAIL_URL: smtp.url, MAIL_FROM: 'Grove <mail@example.org>' }),
  )
  server = await startAuthServer({ mailer })
  server.app.log.warn = (fields: unknown, message?: string) =>
    void warnings.push({ fields, message })
})
afterAll(async () => {
  await server.close()
  await smtp.stop()
})
beforeEach(() => {
  smtp.behaviour = 'take'
  smtp.mails = []
  warnings = []
})
const table = () => server.db.withTables<{ 'auth.job': JobTable }>()
afterEach(() => table().deleteFrom('auth.job').execute())

const second = 1000
const hour = 3600 * second
const claim = 60 * second
const provider = 'grove'
// The runner polls every five seconds.
const patience = { timeout: 12_000, interval: 20 }

const rows = () => mailJobs(server)
/** Mails whose job failed for good. */
const deadLetters = () =>
  table().selectFrom('auth.job').selectAll().where('state', '=', 'failed').execute()
const mailsTo = (email: string) => smtp.mails.filter(({ to }) => to.includes(email))
const arrived = (email: string, times = 1) =>
  vi.waitFor(() => expect(mailsTo(email)).toHaveLength(times), patience)
const delayOf = (row: Pick<JobTable, 'due_at' | 'failed_at'> | undefined) =>
  Date.parse(row?.due_at ?? '') - Date.parse(row?.failed_at ?? '')
const attempted = (times: number) =>
  vi.waitFor(async () => {
    const [row] = await rows()
    expect(row).toMatchObject({ attempts: times, state: 'queued' })
  }, patience)

/** Advances time; the runner polls immediately. */
function later(ms: number) {
  server.pass(ms)
  server.context.jobs.nudge()
}

/** A mail without a link, which therefore expires only after three days. */
async function promise(email: string, platform = server.platform) {
  const opened = await auth.open(platform)
  const mail = { to: email, subject: 'A subject', text: 'Text\n' }
  await server.db.transaction().execute((tx) => queueMail(within(opened, tx), mail))
}

test('a mail arrives by SMTP from the configured sender, to one recipient, as text and HTML', async () => {
  const { email } = await server.account()
  await arrived(email)
  const [mail] = mailsTo(email)
  expect(mail).toMatchObject({ from: 'mail@example.org', to: [email] })
  expect(mail?.data).toMatch(/^From: Grove <mail@example.org>$/m)
  expect(mail?.data).toContain('Content-Type: text/plain; charset=utf-8')
  expect(mail?.data).toContain('Content-Type: text/html; charset=utf-8')
  expect(mail?.data).toContain('Auto-Submitted: auto-generated')
  await sendMails(server)
})

test.each(["o'brien+a{b}@example.org", 'a.b!#$%&*/=?^_`|~-@example.org'])(
  'the address %s is one recipient',
  async (email) => {
    await promise(email)
    await arrived(email)
    expect(mailsTo(email)[0]?.to).toEqual([email])
  },
)

test('queued mail is encrypted, and a row for no recipient looks the same', async () => {
  smtp.behaviour = 'drop'
  const email = `${randomUUID()}@grove.test`
  await server.account()
  await server.post('/api/send/resetPassword', { email, provider })
  await vi.waitFor(() => expect(warnings.length).toBeGreaterThan(0), patience)
  await promise(email)
  const opened = server.context
  const kept = await rows()
  for (const { sealed_input, input } of kept) {
    expect(input).toBeNull()
    const sealed = sealed_input ?? ''
    const bytes = Buffer.from(sealed, 'base64url').toString('latin1')
    for (const secret of ['grove.test', 'login', 'subject', 'http'])
      expect(sealed + bytes).not.toContain(secret)
    expect(sealed).toHaveLength(kept[0]?.sealed_input?.length ?? 0)
  }
  const texts = kept.map(({ sealed_input }) => unseal(sealed_input ?? '', opened.secret, 'mail'))
  expect(texts.some((text) => text.includes('/login/email#'))).toBe(true)
})

test('a mail that is refused for now is sent again after ten seconds, under the same Message-ID', async () => {
  smtp.behaviour = 'defer'
  const email = `${randomUUID()}@grove.test`
  await promise(email)
  await attempted(1)
  const [row] = await rows()
  expect(delayOf(row)).toBe(10 * second)
  expect(warnings).toEqual([
    {
      fields: {
        service: 'auth',
        job: 'mail.send',
        id: row?.id,
        attempts: 1,
        code: 'EENVELOPE',
        reason: 'The mail server answered 451.',
      },
      message: 'A job failed and is tried again later',
    },
  ])
  later(10 * second)
  await attempted(2)
  smtp.behaviour = 'take'
  later(20 * second)
  await arrived(email)
  expect(mailsTo(email)[0]?.data).toContain(`Message-ID: <${row?.id}@example.org>`)
  await sendMails(server)
})

test('an unavailable mail server fails no request, and the mail arrives when it is back', async () => {
  await smtp.stop()
  const start = performance.now()
  const { email } = await server.account()
  const answer = await server.post('/api/send/resetPassword', { email, provider })
  expect(answer.statusCode).toBe(204)
  expect(performance.now() - start).toBeLessThan(2000)
  await vi.waitFor(() => expect(warnings.length).toBeGreaterThan(0), patience)
  await smtp.start()
  server.pass(20 * second)
  await arrived(email, 2)
  expect(JSON.stringify(warnings)).not.toContain(email)
})

test('a mail is given up after three days, or at once if its link has expired', async () => {
  smtp.behaviour = 'drop'
  const email = `${randomUUID()}@grove.test`
  await promise(email)
  await attempted(1)
  later(71 * hour)
  await attempted(2)
  later(hour)
  await sendMails(server)
  expect(warnings.at(-1)).toMatchObject({
    fields: { attempts: 2 },
    message: 'A job failed and is given up',
  })
  expect(await deadLetters()).toMatchObject([
    { attempts: 2, failure: { message: 'The mail server is not responding.' } },
  ])
  await table().deleteFrom('auth.job').execute()

  const { email: known } = await server.account()
  await vi.waitFor(async () => expect(await rows()).toHaveLength(1), patience)
  later(24 * hour)
  smtp.behaviour = 'take'
  await sendMails(server)
  expect(mailsTo(known)).toEqual([])
  expect(await deadLetters()).toMatchObject([{ failure: { code: 'link_ended' } }])
})

test('a mail encrypted with another secret holds up no other mail, and is given up eventually', async () => {
  const email = `${randomUUID()}@grove.test`
  await promise(email)
  const at = new Date(server.platform.now()).toISOString()
  const sealed_input = seal('null', 'another secret', 'mail')
  await sql`insert into auth.job (name, sealed_input, max_attempts, due_at, created_at, queued_at)
    values ('mail.send', ${sealed_input}, 1000, ${at}, ${at}, ${at})`.execute(server.db)
  await arrived(email)
  await attempted(1)
  expect(delayOf((await rows())[0])).toBe(10 * second)
  later(72 * hour)
  await sendMails(server)
  expect(warnings.map(({ message }) => message)).toEqual([
    'A job failed and is tried again later',
    'A job failed and is given up',
  ])
})

test('delays double up to an hour', async () => {
  smtp.behaviour = 'drop'
  await promise(`${randomUUID()}@grove.test`)
  await attempted(1)
  for (const [attempts, delay] of [
    [3, 80],
    [12, 3600],
  ] as const) {
    const at = new Date(server.platform.now()).toISOString()
    await table().updateTable('auth.job').set({ attempts, due_at: at }).execute()
    later(0)
    await attempted(attempts + 1)
    const [row] = await rows()
    expect(delayOf(row)).toBe(delay * second)
  }
})

test('processes on one database share the mails: each is sent once', async () => {
  const others = await Promise.all([1, 2].map(() => buildApp({ ...server.platform }, [auth])))
  await Promise.all(others.map((other) => other.ready()))
  const emails = Array.from({ length: 25 }, () => `${randomUUID()}@grove.test`)
  await Promise.all(emails.map((email) => promise(email)))
  // All poll at once.
  for (const other of others)
    await other.inject({
      method: 'POST',
      url: '/api/send/resetPassword',
      payload: { email: 'nobody@grove.test', provider },
    })
  await sendMails(server)
  const sent = smtp.mails.map(({ to }) => to[0] ?? '')
  expect(new Set(sent)).toEqual(new Set(emails))
  expect(sent).toHaveLength(emails.length)
  await Promise.all(others.map((other) => other.close()))
})

test('a mail claimed by a killed process is sent by another one', async () => {
  const email = `${randomUUID()}@grove.test`
  smtp.behaviour = 'drop'
  await promise(email)
  await attempted(1)
  const [failed] = await rows()
  const claimed = new Date(Date.parse(failed?.failed_at ?? '') + claim).toISOString()
  await table()
    .updateTable('auth.job')
    .set({ state: 'running', claim: randomUUID(), due_at: claimed })
    .execute()
  smtp.behaviour = 'take'
  // Far enough from the end of the claim for a slow machine.
  later(claim / 2)
  await promise(`${randomUUID()}@grove.test`)
  await vi.waitFor(() => expect(smtp.mails).toHaveLength(1), patience)
  expect(mailsTo(email)).toEqual([])
  later(claim / 2)
  await arrived(email)
})

test('a server stops within seconds while its mail server stalls, and keeps the mail @long', async () => {
  // Only the other one may take the mail.
  await server.app.close()
  const platform = { ...server.platform }
  const other = await buildApp(platform, [auth])
  smtp.behaviour = 'stall'
  await promise(`${randomUUID()}@grove.test`, platform)
  await vi.waitFor(async () => expect((await rows())[0]?.attempts).toBe(1), patience)
  const start = performance.now()
  await other.close()
  const ms = performance.now() - start
  expect(ms).toBeGreaterThan(1000)
  expect(ms).toBeLessThan(8000)
  expect(await rows()).toHaveLength(1)
})
