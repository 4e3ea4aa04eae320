import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createSecureServer } from 'node:https'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { check, type Finding } from '../../src/cli/check.ts'
import { at, jwksPath, passwordPath } from './row.ts'
import { runCommand } from './run-command.ts'
import { account, closeReference, listen, startVariation } from './variation.ts'

// On a busy machine a check takes seconds.
vi.setConfig({ testTimeout: 30_000 })

afterAll(closeReference)

/** The single line reported for a URL where nothing can be checked. */
async function wordsOf(url: string, ...more: string[]) {
  const { code, output } = await runCommand(['check', url, ...more])
  const lines = output.split('\n').filter((line) => line !== '')
  expect(lines.at(-1)).toBe(`${url} cannot be reached.`)
  expect(lines).toHaveLength(3)
  expect(lines[1]).toMatch(/^ {9}right: /)
  expect(code).toBe(3)
  return lines[0]
}

async function serve(server: Server, scheme = 'http') {
  const port = await listen(server)
  onTestFinished(() => void server.close())
  return `${scheme}://127.0.0.1:${port}`
}

test('a port without a listener is reported', async () => {
  const server = createServer()
  const url = `http://127.0.0.1:${await listen(server)}`
  server.close()
  expect(await wordsOf(url)).toContain('Nothing listens at 127.0.0.1:')
})

test('a name unknown to DNS is reported', async () => {
  expect(await wordsOf('https://auth.grove.invalid')).toContain(
    'The name auth.grove.invalid is not known (DNS)',
  )
})

test('a service that closes each connection is reported', async () => {
  const url = await serve(createServer((socket) => socket.destroy()))
  expect(await wordsOf(url)).toContain('closed the connection without an answer')
})

test('a service that does not speak HTTP is reported', async () => {
  const url = await serve(
    createServer((socket) => void socket.on('error', () => {}).end('220 mail.example ESMTP\r\n')),
  )
  expect(await wordsOf(url)).toContain('answers something other than HTTP')
})

test('a service that does not speak TLS is reported', async () => {
  const url = await serve(
    createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    }),
    'https',
  )
  expect(await wordsOf(url)).toContain('does not speak TLS')
})

test('a port that browsers refuse is reported', async () => {
  expect(await wordsOf('http://127.0.0.1:6000')).toContain('Browsers refuse port 6000')
})

test('a service that never answers is given up after two calls', async () => {
  const service = await startVariation({ replies: () => 'hang' })
  onTestFinished(() => service.close())
  expect(await wordsOf(service.url, '--timeout', '0.2')).toContain(
    'There was no answer within 0.2 seconds',
  )
  expect([...service.counts.keys()]).toEqual(['OPTIONS /api/stage/auth', '/api/stage/auth'])
})

test('one call without an answer fails, and the others are checked @long', async () => {
  const service = await startVariation({ replies: at(jwksPath, () => 'hang') })
  onTestFinished(() => service.close())
  const findings = await check({
    url: service.url,
    realm: 'grove',
    ...account,
    jwksUrl: jwksPath,
    origin: service.url,
    timeout: 4000,
  })
  expect(faultsOf(findings)).toEqual([
    'timeout GET /.well-known/jwks.json: There was no answer within 4 seconds',
  ])
  expect(findings.map(({ code }) => code)).toContain('logout_twice')
})

test('the check ends when its total time is over; the rest is skipped @long', async () => {
  const service = await startVariation({ replies: at(passwordPath, () => 'hang') })
  onTestFinished(() => service.close())
  const findings = await check({ url: service.url, realm: 'grove', ...account, totalTimeout: 3000 })
  expect(findings.at(-1)).toMatchObject({ code: 'cors_exposed' })
  expect(findings).toContainEqual({
    level: 'skipped',
    code: 'stopped',
    call: 'The rest',
    what: 'Not checked: the check took 3 seconds',
  })
})

test('an untrusted certificate is reported (needs openssl)', async (context) => {
  if (spawnSync('openssl', ['version']).error) context.skip()
  const folder = mkdtempSync(join(tmpdir(), 'grove-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-days', '2']
  const files = ['-keyout', keyFile, '-out', certFile]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  execFileSync('openssl', ['req', '-x509', '-nodes', ...curve, ...files, ...subject], {
    stdio: 'ignore',
  })
  const server = createSecureServer({ key: readFileSync(keyFile), cert: readFileSync(certFile) })
  const url = await serve(server, 'https')
  expect(await wordsOf(url)).toContain('The certificate is signed by itself')
})

test('a page on https: cannot call a service on http:, and one on http: cannot verify tokens', async () => {
  const service = await startVariation({})
  onTestFinished(() => service.close())
  const toLoopback: typeof fetch = (input, init) =>
    fetch((input as string).replace('http://auth.example', service.url), init)
  const given = { url: 'http://auth.example', realm: 'grove', fetch: toLoopback }
  expect(faultsOf(await check({ ...given, origin: 'https://app.example' }))).toEqual([
    'mixed_content The address: Browsers let a page of https://app.example call no service on http:',
  ])
  const [insecure] = faultsOf(await check({ ...given, origin: 'http://app.example' }))
  expect(insecure).toContain(
    'insecure_page The address: Pages of http://app.example have no WebCrypto',
  )
})

test('a service without CORS fits pages of its own origin, and a warning says so', async () => {
  const service = await startVariation({
    replies: ({ headers }) => ({
      headers: Object.fromEntries(
        Object.entries(headers).filter(([name]) => !name.startsWith('access-control')),
      ),
    }),
  })
  onTestFinished(() => service.close())
  const [warning, ...more] = faultsOf(await check({ url: service.url, realm: 'grove' }))
  expect(warning).toContain('same_origin_only CORS: The service allows no other origin')
  expect(more).toEqual([])
  expect(faultsOf(await check({ url: service.url, realm: 'grove', origin: service.url }))).toEqual(
    [],
  )
})

const faultsOf = (findings: readonly Finding[]) =>
  findings
    .filter(({ level }) => level === 'wrong' || level === 'warning')
    .map(({ code, call, what }) => `${code} ${call}: ${what}`)
