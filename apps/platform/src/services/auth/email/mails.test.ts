import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, startAuthServer, type AuthServer } from '../testing/auth-server.ts'
import { linkMail, passwordChangedMail } from './mails.ts'
import { mailsTo } from './testing/mailbox.ts'

let server: AuthServer
beforeAll(async () => {
  server = await startAuthServer()
})
afterAll(() => server.close())

const to = 'someone@grove.test'
const link = 'https://console.example/login/reset#token'
const network = '203.0.113.0/24'
const expiresAt = '2026-11-22T12:30:00.000Z'

test.each([
  ['en-US', 'reset', 'November 22, 2026 at 12:30 PM UTC'],
  ['en-US', 'validate', 'November 22, 2026 at 12:30 PM UTC'],
  ['ru-RU', 'reset', '22 ноября 2026 г. в 12:30 UTC'],
  ['ru-RU', 'validate', '22 ноября 2026 г. в 12:30 UTC'],
] as const)(
  'the %s mail to %s says what to do, until when, and who asked',
  (locale, kind, time) => {
    const mail = linkMail(kind, { to, locale, link, expiresAt, network })
    expect(mail).toMatchObject({ to, expiresAt })
    for (const part of [mail.text, mail.html ?? ''])
      for (const words of [to, link, network, time]) expect(part).toContain(words)
    expect(mail.html).toContain(`<html lang="${locale}">`)
    expect(mail.html).toContain(`<a href="${link}" style="overflow-wrap: anywhere">`)
    expect(mail.text).not.toMatch(/[{}]/)
  },
)

test('a mail fetches nothing', () => {
  for (const locale of ['en-US', 'ru-RU'])
    for (const { html } of [
      linkMail('reset', { to, locale, link, expiresAt, network }),
      passwordChangedMail({ to, locale, at: expiresAt, network, publicOrigin: null }),
    ])
      expect(html).not.toMatch(/src=|<link|<style|<script|url\(/)
})

test('the mail about a changed password leads to another one where the console’s address is known', () => {
  const mail = { to, locale: 'en-US', at: expiresAt, network }
  const known = passwordChangedMail({ ...mail, publicOrigin: 'https://console.example' })
  expect(known.text).toContain('https://console.example/login/forgotten')
  const { text } = passwordChangedMail({ ...mail, publicOrigin: null })
  expect(text).not.toMatch(/https?:|null/)
  expect(text).toMatch(/sign-in page\.\n$/)
})

test('an address is text in HTML, whatever it holds', () => {
  const mail = linkMail('reset', {
    to: '"&<b>"@grove.test',
    locale: 'en-US',
    link,
    expiresAt,
    network,
  })
  expect(mail.html).toContain('&quot;&amp;&lt;b&gt;&quot;@grove.test')
})

test('a mail is in the account’s language, and holds no word that a stranger chose', async () => {
  const email = `vera-${Date.now()}@grove.test`
  const name = 'Win at https://evil.example\r\nBcc: victim@grove.test'
  const body = { email, password, provider: 'grove', locale: 'ru-RU', name }
  expect((await server.post('/api/signup', body)).statusCode).toBe(200)
  const [mail] = await mailsTo(server, email)
  expect(mail?.subject).toBe('Подтвердите адрес электронной почты для Grove')
  expect(JSON.stringify(mail)).not.toContain('evil')
})

test('without a mail server, or without a known console, asking says so and sign-up goes on', async () => {
  const signUp = (on: AuthServer, headers: Record<string, string> = {}) => {
    const payload = {
      email: `${Date.now()}${Math.random()}@grove.test`,
      password,
      provider: 'grove',
    }
    return on.app.inject({ method: 'POST', url: '/api/signup', payload, headers })
  }
  const ask = (on: AuthServer, headers: Record<string, string> = {}) => {
    const payload = { email: to, provider: 'grove' }
    return on.app.inject({ method: 'POST', url: '/api/send/resetPassword', payload, headers })
  }
  const elsewhere = { host: 'grove.example' }
  expect((await ask(server, elsewhere)).json()).toMatchObject({
    status: 503,
    code: 'console_address_unknown',
  })
  expect((await signUp(server, elsewhere)).statusCode).toBe(200)

  const silent = await startAuthServer()
  const opened = silent.context
  opened.mailer = null
  expect((await ask(silent)).json()).toMatchObject({ status: 503, code: 'mail_unavailable' })
  expect((await signUp(silent)).statusCode).toBe(200)
  expect(await silent.db.selectFrom('auth.mail').selectAll().execute()).toEqual([])
  await silent.close()
})
