import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { deleteAllMails, listMails, mailFolderOf } from '../../../core/mail/mail-folder.ts'
import { startTestServer, type TestServer } from '../../../core/testing/test-platform.ts'
import { dev } from '../index.ts'

let server: TestServer
let folder: string
beforeAll(async () => {
  server = await startTestServer([dev])
  folder = mailFolderOf(server.platform.config.dataFolder)
})
afterAll(() => server.close())
beforeEach(() => deleteAllMails(folder))

const get = (url: string, headers: Record<string, string> = {}) =>
  server.app.inject({ url, headers, remoteAddress: '127.0.0.1' })

async function send(subject: string, text = 'Text\n', html?: string) {
  await server.platform.mailer?.send({ to: 'someone@grove.test', subject, text, html })
  const found = (await listMails(folder)).find((mail) => mail.subject === subject)
  if (!found) throw new Error(`${subject} is not kept.`)
  return found.id
}

test('the list shows the newest mail first and leads to each', async () => {
  await send('First')
  await new Promise((resolve) => {
    setTimeout(resolve, 5)
  })
  const id = await send('Second')
  const page = await get('/dev/mail')
  expect(page.statusCode).toBe(200)
  expect(page.body.indexOf('Second')).toBeLessThan(page.body.indexOf('First'))
  expect(page.body).toContain(`href="/dev/mail/${id}"`)
  expect((await get('/dev/mail/mail.css')).headers['content-type']).toContain('text/css')
})

test('a mail shows its text with links, and its HTML in a frame that runs and fetches nothing', async () => {
  const link = 'http://localhost/login/reset#abc'
  const id = await send('Hello', `Here: ${link}\n`, `<p><a href="${link}">${link}</a></p>`)
  const page = await get(`/dev/mail/${id}`)
  expect(page.body).toContain(`<a href="${link}">${link}</a>`)
  expect(page.body).toContain(`<iframe src="/dev/mail/${id}/html"`)
  const frame = await get(`/dev/mail/${id}/html`)
  expect(frame.body).toContain(`<a target="_blank" rel="noreferrer" href="${link}">`)
  expect(frame.headers['content-security-policy']).toContain("default-src 'none'")
  expect(frame.headers['content-security-policy']).toMatch(
    /sandbox allow-popups(?!.*allow-scripts)/,
  )
  const file = await get(`/dev/mail/${id}/eml`)
  expect(file.headers['content-type']).toBe('message/rfc822')
  expect(file.body).toContain('Subject: Hello')
})

test('the pages have no script and no inline style, and the contents of a mail stay text', async () => {
  const hostile = '<script>alert(1)</script><img src=x onerror=alert(1)>"\'&'
  const id = await send(hostile, `${hostile} http://a.test/"onmouseover="alert(1)\n`)
  for (const url of ['/dev/mail', `/dev/mail/${id}`]) {
    const page = await get(url)
    expect(page.body).not.toMatch(/<script|<img|<style|\sstyle=|"onmouseover/)
    expect(page.headers['content-security-policy']).toContain("style-src 'self'")
    expect(page.headers['content-security-policy']).not.toContain('unsafe')
    expect(page.headers['cache-control']).toBe('no-store')
  }
})

test('the pages speak the browser’s language', async () => {
  const language = async (accept: string) =>
    /<html lang="(\w+)">/.exec((await get('/dev/mail', { 'accept-language': accept })).body)?.[1]
  expect(await language('ru-RU,ru;q=0.9,en;q=0.8')).toBe('ru')
  expect(await language('en-GB,ru;q=0.5')).toBe('en')
  expect(await language('de-DE')).toBe('en')
  expect((await get('/dev/mail')).body).toContain('lang="en"')
})

test('mail is deleted from its own page only, never from another site', async () => {
  await send('Kept')
  const remove = (headers: Record<string, string>) =>
    server.app.inject({
      method: 'POST',
      url: '/dev/mail/delete',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      remoteAddress: '127.0.0.1',
    })
  const elsewhere: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
  ]
  for (const headers of elsewhere) expect((await remove(headers)).statusCode).toBe(403)
  expect(await listMails(folder)).toHaveLength(1)
  const answer = await remove({ 'sec-fetch-site': 'same-origin', origin: 'null' })
  expect([answer.statusCode, answer.headers.location]).toEqual([303, '/dev/mail'])
  expect(await readdir(folder)).toEqual([])
})

test('no name escapes the folder', async () => {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, '..', 'secret.json'), '{"subject":"secret"}')
  for (const id of ['..%2Fsecret', '../secret', '%2e%2e%2fsecret', 'secret', '..%5Csecret', '%00'])
    for (const end of ['', '/html', '/eml']) {
      const answer = await get(`/dev/mail/${id}${end}`)
      expect([id, answer.statusCode]).toEqual([id, 404])
    }
})

test('another machine, another name of this one, and a request through a proxy see nothing', async () => {
  const id = await send('Private')
  for (const url of [
    '/dev/mail',
    `/dev/mail/${id}`,
    `/dev/mail/${id}/html`,
    '/dev/mail/mail.css',
  ]) {
    const far = await server.app.inject({ url, remoteAddress: '192.0.2.7' })
    expect([far.statusCode, far.body.includes('Private')]).toEqual([404, false])
    const named = await get(url, { host: 'evil.example' })
    expect([named.statusCode, named.body.includes('Private')]).toEqual([421, false])
    for (const name of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via']) {
      const through = await get(url, { [name]: '192.0.2.7' })
      expect([through.statusCode, through.body.includes('Private')]).toEqual([421, false])
    }
  }
})

test('an application on another origin that may call this server cannot read its mails', async () => {
  const { config } = server.platform
  const origins = config.allowedOrigins
  Object.assign(config, { allowedOrigins: ['https://app.example'] })
  const id = await send('Private')
  const page = await get(`/dev/mail/${id}`, { origin: 'https://app.example' })
  Object.assign(config, { allowedOrigins: origins })
  expect([page.statusCode, page.body.includes('Private')]).toEqual([404, false])
})

test('the folder keeps the newest five hundred', async () => {
  await mkdir(folder, { recursive: true })
  const name = (i: number) =>
    `2020-01-01T00-00-00.${String(i).padStart(3, '0')}Z-00000000-0000-4000-8000-000000000000`
  for (let i = 0; i < 505; i++) {
    await writeFile(
      join(folder, `${name(i)}.json`),
      JSON.stringify({ id: name(i), subject: `${i}` }),
    )
    await writeFile(join(folder, `${name(i)}.eml`), '')
  }
  await send('The newest')
  const kept = await listMails(folder)
  expect(kept).toHaveLength(500)
  expect(kept[0]?.subject).toBe('The newest')
  expect(kept.at(-1)?.subject).toBe('6')
  expect(await readdir(folder)).toHaveLength(1000)
})
