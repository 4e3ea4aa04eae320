import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startCedar } from '../../../../e2e/reference/cedar.ts'
import { startMaple } from '../../../../e2e/reference/maple.ts'
import {
  oldFashioned,
  specified,
  type ReferenceService,
} from '../../../../e2e/reference/service.ts'
import { CommandError } from '../exit-codes.ts'
import type { CallResult } from './check-service.ts'
import { check } from './main.ts'

// With the reference services, which were written from the specification, and with faulty ones.

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const kid = randomUUID()
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

function tokenFor(roles: string[]): string {
  const exp = Math.floor(Date.now() / 1000) + 600
  const input = `${encode({ alg: 'ES256', kid })}.${encode({ sub: randomUUID(), provider: 'grove', roles, exp })}`
  const signature = sign('sha256', Buffer.from(input), {
    key: privateKey,
    dsaEncoding: 'ieee-p1363',
  })
  return `${input}.${signature.toString('base64url')}`
}

let auth: Server
let authUrl = ''
let cedar: ReferenceService
let maple: ReferenceService
beforeAll(async () => {
  auth = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      const keys = [{ ...publicKey.export({ format: 'jwk' }), kid }]
      if (request.url === '/keys') return response.end(JSON.stringify({ keys }))
      const isRight = body.includes('"password":"right"') && body.includes('"provider":"grove"')
      response.writeHead(isRight ? 200 : 401)
      response.end(isRight ? JSON.stringify({ token: { accessToken: tokenFor(['ADMIN']) } }) : '')
    })
  })
  await once(auth.listen(0, '127.0.0.1'), 'listening')
  authUrl = `http://127.0.0.1:${(auth.address() as AddressInfo).port}`
  const jwksUrl = () => `${authUrl}/keys`
  ;[cedar, maple] = await Promise.all([startCedar(jwksUrl), startMaple(jwksUrl)])
})
afterAll(() => {
  auth.close()
  cedar.close()
  maple.close()
})
afterEach(() => {
  for (const service of [cedar, maple]) {
    service.fashion = specified
    service.instead.clear()
    service.calls.length = 0
  }
})

interface Report {
  fits: boolean
  calls: CallResult[]
}

async function reportOf(name: 'cedar' | 'maple', roles = ['ADMIN'], ...more: string[]) {
  const lines: string[] = []
  const { url } = name === 'cedar' ? cedar : maple
  const env = { GROVE_TOKEN: tokenFor(roles) }
  const code = await check([name, url, '--json', ...more], env, (line) => lines.push(line))
  const report = JSON.parse(lines.join('\n')) as Report
  const of = (call: string) => report.calls.find((each) => each.call === call)
  return { code, report, of }
}
const textOf = async (args: string[], env: Record<string, string>) => {
  const lines: string[] = []
  const code = await check(args, env, (line) => lines.push(line))
  return { code, lines }
}

describe.each([
  ['by the specification', specified],
  ['with bare lists and numbers for ids', oldFashioned],
])('services %s', (_, fashion) => {
  test.each(['cedar', 'maple'] as const)('fit as %s, and nothing is changed', async (name) => {
    const service = name === 'cedar' ? cedar : maple
    service.fashion = fashion
    const { code, report } = await reportOf(name)
    const wrong = report.calls.filter(({ result }) => result === 'wrong')
    expect(wrong).toEqual([])
    expect(code).toBe(0)
    expect(service.calls.filter((call) => !call.startsWith('GET '))).toEqual([])
    expect(report.calls.length).toBeGreaterThan(5)
  })
})

test('calls that the service lacks, or that the account may not make, are named and are no fault', async () => {
  cedar.fashion = oldFashioned
  const { code, of } = await reportOf('cedar', ['DEVELOPER'])
  expect(of('GET /api/notification')).toMatchObject({ result: 'lacks', status: 404 })
  expect(of('GET /api/admin/provider')).toMatchObject({ result: 'skipped', status: 403 })
  expect(of('GET /api/developer/productVersion')).toMatchObject({ result: 'fits', items: 1 })
  expect(code).toBe(0)
})

test.each([
  [
    'a server of something else',
    (response: ServerResponse) => response.writeHead(404).end(),
    ['is it the address of a Maple?'],
    7,
  ],
  [
    'one that leads elsewhere',
    (response: ServerResponse) =>
      response.writeHead(307, { location: 'https://maple.example/api/maple/about?a' }).end(),
    ['answer is 307, which leads to https://maple.example/api/maple/about (', 'does not fit'],
    1,
  ],
  [
    'one that speaks no HTTP',
    (response: ServerResponse) => response.socket?.end('\0\0\u0012\u0004'),
    ['something other than HTTP/1.1', 'does not fit'],
    1,
  ],
])('%s does not fit, and is asked no more than it takes', async (_, answer, shown, asked) => {
  let count = 0
  const server = createServer((_request, response) => {
    count += 1
    answer(response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { code, lines } = await textOf(['maple', url], { GROVE_TOKEN: tokenFor(['ADMIN']) })
  for (const words of shown) expect(lines.join('\n')).toContain(words)
  expect([code, count]).toEqual([1, asked])
})

const json = (body: unknown) => (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const raw = (status: number, body: string) => (response: ServerResponse) =>
  void response.writeHead(status).end(body)
const list = 'GET /api/maple/device'

test.each([
  ['a page with 200', raw(200, '<!doctype html>'), '', 'the answer is a web page', 'JSON'],
  ['text with 200', raw(200, 'devices'), '', 'the answer is plain text', 'JSON'],
  ['nothing', raw(200, ''), '', 'the answer is empty', 'JSON'],
  ['a failure', raw(500, 'oops'), '', 'the answer is 500', 'status 200'],
  ['a redirect', raw(302, ''), '', 'the answer is 302', 'status 200'],
  ['another list', json({ devices: [] }), 'items', 'is missing', 'a list'],
  ['no id', json([{ name: 'a' }]), 'items[0].id', 'is missing', 'text'],
  ['an object as id', json({ items: [{ id: {} }] }), 'items[0].id', 'is not text', 'text'],
  ['null in a list', json([null]), 'items[0]', 'is not an object', 'an object'],
  [
    'a refused token',
    raw(401, ''),
    '',
    'the token is refused',
    'an answer to a valid access token',
  ],
])('a service that answers %s is told what it should be', async (_, answer, path, what, right) => {
  maple.instead.set(list, answer)
  const { code, of, report } = await reportOf('maple')
  expect(of(list)).toMatchObject({
    result: 'wrong',
    faults: [{ path, what, right, isNeeded: true }],
  })
  expect([code, report.fits]).toEqual([1, false])
})

test('a fault in an optional field is a remark', async () => {
  maple.instead.set(
    list,
    json([
      { id: 'a', createdAt: 1772000000 },
      { id: 'b', createdAt: 5 },
    ]),
  )
  const { of } = await reportOf('maple')
  const what = 'is not a date and time'
  expect(of(list)).toMatchObject({
    result: 'fits',
    faults: [{ path: 'items[0].createdAt', what, isNeeded: false }],
  })
})

test('anything that a browser would refuse is a fault', async () => {
  const console = ['--console', 'https://console.example/dashboard']
  const { of } = await reportOf('maple', ['ADMIN'], ...console)
  expect(of(list)).toMatchObject({ result: 'fits' })
  expect(of('OPTIONS /api/maple/device')).toMatchObject({ result: 'fits' })
  maple.instead.set(list, (response) => {
    response.removeHeader('access-control-allow-origin')
    json([])(response)
  })
  const second = await reportOf('maple', ['ADMIN'], ...console)
  expect(second.of(list)).toMatchObject({
    result: 'wrong',
    faults: [{ right: 'Access-Control-Allow-Origin: https://console.example' }],
  })
})

test('it signs in like the console, and prints a line for each call', async () => {
  const env = { GROVE_EMAIL: 'a@grove.test', GROVE_PASSWORD: 'right' }
  maple.instead.set('GET /api/maple/about', raw(404, ''))
  maple.instead.set(list, json([{ name: 'a' }]))
  const { code, lines } = await textOf(['maple', `${maple.url}/`, '--auth', authUrl], env)
  expect(lines).toEqual(
    expect.arrayContaining([
      'lacks    GET /api/maple/about answered 404: the console leaves out what needs it',
      'wrong    GET /api/maple/device',
      '         items[0].id is missing (right: text)',
      'fits     GET /api/maple/service (1 item)',
      `${maple.url} does not fit.`,
    ]),
  )
  expect(code).toBe(1)
})

test.each([
  [['oak', 'http://127.0.0.1'], {}, 2, 'Name cedar or maple.'],
  [['maple'], {}, 2, 'Name the address'],
  [['maple', 'ftp://a'], {}, 2, 'is not an address'],
  [['maple', 'http://127.0.0.1', '--what'], {}, 2, '--what'],
  [['maple', 'http://127.0.0.1'], {}, 2, 'GROVE_PASSWORD'],
  [
    ['maple', 'http://127.0.0.1:9'],
    { GROVE_EMAIL: 'a', GROVE_PASSWORD: 'b' },
    1,
    'cannot be reached',
  ],
])('%j ends with its exit code and a sentence', async (args, env, exitCode, message) => {
  const failure: unknown = await check(args, env, () => {}).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(CommandError)
  expect(failure).toMatchObject({ exitCode, message: expect.stringContaining(message) as string })
})

test('a wrong password is exit code 4', async () => {
  const env = { GROVE_EMAIL: 'a', GROVE_PASSWORD: 'wrong' }
  const failed = check(['maple', maple.url, '--auth', authUrl], env, () => {})
  await expect(failed).rejects.toMatchObject({ exitCode: 4 })
})
