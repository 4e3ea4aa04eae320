import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, startAuthServer, type AuthServer } from '../testing/auth-server.ts'
import { invitationMail, linkMail, passwordChangedMail } from './mails.ts'
import { mailJobs, mailsTo } from './testing/mailbox.ts'

let server: AuthServer
beforeAll(async () => {
  server = await startAuthServer()
})
afterAll(() => server.close())

const to = 'someone@grove.test'
const link = 'https://console.example/login/reset#token'
const network = '203.0.113.0/24'
const expiresAt = '2026-11-22T12:30:00.000Z'

const locales = ['en-US', 'ru-RU'] as const

/** Every mail in a language, each with a link. */
const mailsIn = (locale: string) => [
  linkMail('reset', { to, locale, link, expiresAt, network }),
  linkMail('validate', { to, locale, link, expiresAt, network }),
  passwordChangedMail({
    to,
    locale,
    at: expiresAt,
    network,
    publicOrigin: 'https://console.example',
  }),
  invitationMail({ to, locale, link, expiresAt, role: 'DEVELOPER', inviter: 'ada@admin.test' }),
]

const hrefsOf = (html = '') => [...html.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href)

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
  },
)

test.each([
  ['en-US', 'ada@admin.test invites you to Grove as an administrator.'],
  ['ru-RU', 'ada@admin.test приглашает вас в Grove с ролью «Администратор».'],
])('the %s invitation names the inviter and the role', (locale, words) => {
  const mail = { to, locale, link, expiresAt, role: 'ADMIN' } as const
  expect(invitationMail({ ...mail, inviter: 'ada@admin.test' }).text).toContain(words)
  expect(invitationMail({ ...mail, inviter: null }).text).not.toContain('null')
})

test.each(locales)('a %s mail is one column with one button, in both colour schemes', (locale) => {
  for (const { subject, html = '' } of mailsIn(locale)) {
    expect(html).toContain(`<html lang="${locale}">`)
    expect(html).toContain('max-width:560px')
    expect(html).toContain(`<title>${subject}</title>`)
    expect(html).toContain('<meta name="color-scheme" content="light dark">')
    expect(html).toContain('@media (prefers-color-scheme: dark)')
    expect(html.match(/mso-padding-alt/g)).toHaveLength(1)
    // Word needs no max-width, but a table with its role.
    expect(html).toContain('<!--[if mso]><table role="presentation" width="560"')
    expect(html.match(/<table/g)?.length).toBe(html.match(/<\/table>/g)?.length)
    expect(html.match(/<table(?! (class="canvas" )?role="presentation")/)).toBeNull()
    expect(html).toMatch(/>Grove<\/td>/)
  }
})

test.each(locales)(
  'the button, the link below it and the %s text lead to the same place',
  (locale) => {
    for (const { html, text } of mailsIn(locale)) {
      const [button, asText, ...more] = hrefsOf(html)
      expect(button).toMatch(/^https:\/\/console\.example\/login\//)
      expect([asText, more]).toEqual([button, []])
      expect(html).toContain(`>${asText}</a>`)
      expect(text.match(/^https?:\S+$/gm)).toEqual([button])
    }
  },
)

test.each(locales)(
  'a %s mail has a preheader, ends with its reason, and has no unfilled placeholders',
  (locale) => {
    const why = locale === 'en-US' ? 'You received this email because' : 'Вы получили это письмо'
    for (const { subject, html = '', text } of mailsIn(locale)) {
      const preheader = /<div style="display:none[^>]*>([^<&]+)/.exec(html)?.[1]
      expect(preheader?.length).toBeGreaterThan(30)
      expect(preheader).not.toBe(subject)
      for (const part of [text, html]) expect(part).toContain(why)
      expect(text.trimEnd().split('\n').at(-1)).toContain(why)
      expect(text).not.toMatch(/[{}<>]/)
      expect(html.slice(html.indexOf('<body'))).not.toMatch(/[{}]|undefined|null/)
    }
  },
)

test.each(locales)(
  'the longest %s mail fits the size to which queued mails are padded',
  (locale) => {
    const longest = {
      to: `${'a'.repeat(243)}@grove.test`,
      locale,
      network: '2001:0db8:85a3:0000::/64',
    }
    const publicOrigin = `https://${'console.'.repeat(8)}example`
    for (const mail of [
      ...(['reset', 'validate'] as const).map((kind) => {
        const path = `${publicOrigin}/login/reset#${'a'.repeat(43)}`
        return linkMail(kind, { ...longest, link: path, expiresAt })
      }),
      passwordChangedMail({ ...longest, at: expiresAt, publicOrigin }),
      invitationMail({
        ...longest,
        link: `${publicOrigin}/login/invitation#${'a'.repeat(43)}`,
        expiresAt,
        role: 'ADMIN',
        inviter: longest.to,
      }),
    ])
      expect(Buffer.byteLength(JSON.stringify(mail))).toBeLessThanOrEqual(8192)
  },
)

test('a mail fetches nothing', () => {
  for (const { html } of locales.flatMap(mailsIn))
    expect(html).not.toMatch(/src=|background=|<img|<link|<script|<form|url\(|@import|@font-face/)
})

test('the mail about a changed password offers a reset link if the console’s address is known', () => {
  const mail = { to, locale: 'en-US', at: expiresAt, network }
  const known = passwordChangedMail({ ...mail, publicOrigin: 'https://console.example' })
  expect(known.text).toContain('https://console.example/login/forgotten')
  const { text, html } = passwordChangedMail({ ...mail, publicOrigin: null })
  expect(text).not.toMatch(/https?:|null/)
  expect(text).toContain('“Forgotten your password?” on the sign-in page')
  expect(hrefsOf(html)).toEqual([])
})

test.each(locales)(
  'every value of a %s mail is escaped in its HTML, whatever it contains',
  (locale) => {
    const bad = '"&\'<script>alert(1)</script>'
    for (const mail of [
      linkMail('reset', {
        to: `${bad}@grove.test`,
        locale,
        link: `https://console.example/${bad}`,
        expiresAt,
        network: bad,
      }),
      passwordChangedMail({
        to: `${bad}@grove.test`,
        locale,
        at: expiresAt,
        network: bad,
        publicOrigin: `https://${bad}`,
      }),
      invitationMail({
        to: `${bad}@grove.test`,
        locale,
        link: `https://console.example/${bad}`,
        expiresAt,
        role: 'CUSTOMER',
        inviter: bad,
      }),
    ]) {
      expect(mail.html).not.toMatch(/<script|"&'/)
      expect(mail.html).toContain("&quot;&amp;'&lt;script&gt;alert(1)&lt;/script&gt;@grove.test")
      const hrefs = hrefsOf(mail.html)
      expect(hrefs).toHaveLength(2)
      for (const href of hrefs) expect(href).toContain("&quot;&amp;'&lt;script&gt;")
    }
  },
)

test('a mail is in the account’s language, and contains no text chosen by a stranger', async () => {
  const email = `vera-${Date.now()}@grove.test`
  const name = 'Win at https://evil.example\r\nBcc: victim@grove.test'
  const body = { email, password, provider: 'grove', locale: 'ru-RU', name }
  expect((await server.post('/api/signup', body)).statusCode).toBe(200)
  const [mail] = await mailsTo(server, email)
  expect(mail?.subject).toBe('Подтвердите адрес электронной почты для Grove')
  expect(JSON.stringify(mail)).not.toContain('evil')
})

test('without a mail server, or without a known console, requests say so and sign-up continues', async () => {
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
  // A local server would not respond to that name at all.
  Object.assign(server.platform.config, { isLocal: false })
  expect((await ask(server, elsewhere)).json()).toMatchObject({
    status: 503,
    code: 'console_address_unknown',
  })
  expect((await signUp(server, elsewhere)).statusCode).toBe(200)
  Object.assign(server.platform.config, { isLocal: true })

  const silent = await startAuthServer()
  const opened = silent.context
  opened.mailer = null
  expect((await ask(silent)).json()).toMatchObject({ status: 503, code: 'mail_unavailable' })
  expect((await signUp(silent)).statusCode).toBe(200)
  expect(await mailJobs(silent)).toEqual([])
  await silent.close()
})
