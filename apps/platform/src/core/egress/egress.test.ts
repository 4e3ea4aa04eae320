import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readEgressSettings } from './egress-settings.ts'
import { openEgress, type Egress, type EgressRequest, type EgressRules } from './egress.ts'
import { isPublicAddress } from './public-address.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

let server: Server
let port: number
let answer: Answer
let requests: { url: string; headers: IncomingMessage['headers']; body: string; method: string }[]
let names: Record<string, readonly string[]>
let resolved: string[]
let egress: Egress

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => (body += part))
    request.on('end', () => {
      const { url = '', headers, method = '' } = request
      requests.push({ url, headers, body, method })
      answer(request, response)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '0.0.0.0', resolve))
  port = (server.address() as AddressInfo).port
  egress = openEgress({ allowed: [{ address: '127.0.0.1', port }] }, async (host) => {
    resolved.push(host)
    const found = names[host]
    if (!found) throw new Error('ENOTFOUND')
    return found
  })
})
afterAll(async () => {
  await egress.close()
  server.closeAllConnections()
  await new Promise((resolve) => void server.close(resolve))
})
beforeEach(() => {
  requests = []
  resolved = []
  names = { 'a.example': ['127.0.0.1'], 'b.example': ['127.0.0.1'] }
  answer = (_request, response) => response.end('hello')
})

const rules: EgressRules = { hosts: ['*.example'], calls: 10, bytes: 100_000, milliseconds: 5000 }
const send = (request: EgressRequest | string, given: Partial<EgressRules> = {}) =>
  egress
    .open({ ...rules, ...given })
    .fetch(typeof request === 'string' ? { url: request } : request)
const at = (name: string, path = '/') => `http://${name}:${port}${path}`
const refused = (code: string) => expect.objectContaining({ name: 'EgressError', code })

describe('addresses', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '127.000.000.001',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '0',
    '0.0.0.0',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '[fe80::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[fec0::1]',
    '[ff02::1]',
    '[2001:db8::1]',
    '10.1.2.3',
    '100.100.100.200',
    '169.254.169.254',
    '0xa9fea9fe',
    '[::ffff:a9fe:a9fe]',
    '168.63.129.16',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '１２７.０.０.１',
    '127。0。0。1',
  ])('%s is refused, however it is spelt', async (host) => {
    // The settings open this port for another address, which opens no other.
    const closed = openEgress({ allowed: [{ address: '192.0.2.1', port }] })
    const url = `http://${host}:${port}/`
    const { hostname } = new URL(url)
    const asked = closed.open({ ...rules, hosts: [hostname] }).fetch({ url })
    await expect(asked).rejects.toEqual(refused('address_refused'))
    await closed.close()
    expect(requests).toEqual([])
  })

  test.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1'])(
    '%s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  )

  test('a name is refused if any of its addresses is', async () => {
    names['mixed.example'] = ['93.184.216.34', '169.254.169.254']
    names['none.example'] = []
    for (const name of ['mixed.example', 'none.example'])
      await expect(send(`http://${name}/`)).rejects.toEqual(refused('address_refused'))
    await expect(send('http://unknown.example/')).rejects.toEqual(refused('unreachable'))
  })

  test('the address that was checked is dialled: a different answer for the name comes too late', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.2']]
    Object.defineProperty(names, 'rebound.example', { get: () => answers.shift() })
    answer = (_request, response) => response.setHeader('connection', 'close').end('first')
    expect(await send(at('rebound.example'))).toMatchObject({ body: 'first' })
    expect(resolved).toEqual(['rebound.example'])
    // The name now resolves to something else.
    await expect(send(at('rebound.example'))).rejects.toEqual(refused('address_refused'))
    expect(requests).toHaveLength(1)
  })

  test('a host outside the list, another port and another protocol are refused without a lookup', async () => {
    await expect(send('http://example/')).rejects.toEqual(refused('host_refused'))
    await expect(send('http://a.example.evil.test/')).rejects.toEqual(refused('host_refused'))
    await expect(send('http://a.example:22/')).rejects.toEqual(refused('host_refused'))
    for (const url of ['ftp://a.example/', 'file:///etc/passwd', 'http://me:x@a.example/', 'a'])
      await expect(send(url)).rejects.toEqual(refused('bad_request'))
    expect(resolved).toEqual([])
  })
})

describe('redirects', () => {
  const redirectTo = (location: string, status = 302): Answer => {
    return (request, response) => {
      if (request.url === '/from') response.writeHead(status, { location }).end('moved')
      else response.end('arrived')
    }
  }

  test('each hop is checked like the first', async () => {
    names['inside.example'] = ['10.0.0.1']
    answer = redirectTo('http://inside.example/')
    await expect(send(at('a.example', '/from'))).rejects.toEqual(refused('address_refused'))
    answer = redirectTo('http://127.0.0.1/')
    await expect(send(at('a.example', '/from'))).rejects.toEqual(refused('host_refused'))
    answer = redirectTo('http://[::ffff:7f00:1]/')
    await expect(
      send(at('a.example', '/from'), { hosts: ['*.example', '[::ffff:7f00:1]'] }),
    ).rejects.toEqual(refused('address_refused'))
    answer = redirectTo('file:///etc/passwd')
    await expect(send(at('a.example', '/from'))).rejects.toEqual(refused('bad_request'))
    expect(requests.map(({ url }) => url)).toEqual(['/from', '/from', '/from', '/from'])
  })

  test('credentials stay within their origin', async () => {
    const request = {
      method: 'POST',
      headers: { authorization: 'Basic one', cookie: 'two', 'x-kept': 'yes' },
      credentials: { 'x-key': 'three' },
      body: 'sent',
    }
    answer = redirectTo('/to', 307)
    await send({ ...request, url: at('a.example', '/from') })
    expect(requests.at(-1)).toMatchObject({ body: 'sent', headers: { 'x-key': 'three' } })
    answer = redirectTo(at('b.example', '/to'), 302)
    expect(await send({ ...request, url: at('a.example', '/from') })).toMatchObject({
      url: at('b.example', '/to'),
      body: 'arrived',
    })
    const { headers, method, body } = requests.at(-1) ?? {}
    expect({ method, body, kept: headers?.['x-kept'] }).toEqual({
      method: 'GET',
      body: '',
      kept: 'yes',
    })
    expect(headers).not.toHaveProperty('x-key')
    expect(headers).not.toHaveProperty('authorization')
    expect(headers).not.toHaveProperty('cookie')
  })

  test('are limited to three', async () => {
    answer = ({ url }, response) =>
      response.writeHead(302, { location: `/${Number(url?.slice(1)) + 1}` }).end()
    await expect(send(at('a.example', '/0'))).rejects.toEqual(refused('too_many_redirects'))
    expect(requests.map(({ url }) => url)).toEqual(['/0', '/1', '/2', '/3'])
  })
})

describe('limits', () => {
  test('bytes are counted after decoding', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000))
    answer = (_request, response) => response.setHeader('content-encoding', 'gzip').end(bomb)
    await expect(send(at('a.example'))).rejects.toEqual(refused('too_large'))
    answer = (_request, response) =>
      response.setHeader('content-encoding', 'gzip').end(gzipSync('small'))
    expect(await send(at('a.example'))).toMatchObject({ body: 'small' })
    answer = (_request, response) => response.setHeader('content-encoding', 'gzip, gzip').end(bomb)
    await expect(send(at('a.example'))).rejects.toEqual(refused('bad_request'))
  })

  test('the responses of a program share a byte limit, and its requests a count', async () => {
    const calls = egress.open({ ...rules, bytes: 8, calls: 3 })
    await calls.fetch({ url: at('a.example') })
    await expect(calls.fetch({ url: at('a.example') })).rejects.toEqual(refused('too_large'))
    answer = (_request, response) => response.end('abc')
    await calls.fetch({ url: at('a.example') })
    await expect(calls.fetch({ url: at('a.example') })).rejects.toEqual(refused('too_many_calls'))
    expect(requests).toHaveLength(3)
  })

  test('a body that drips ends with the time limit of the request', async () => {
    const drips: NodeJS.Timeout[] = []
    answer = (_request, response) => void drips.push(setInterval(() => response.write('.'), 20))
    await expect(send(at('a.example'), { milliseconds: 200 })).rejects.toEqual(refused('timeout'))
    for (const drip of drips) clearInterval(drip)
  })

  test('a response that never starts ends likewise, and an unknown host is reported', async () => {
    answer = () => {}
    await expect(send(at('a.example'), { milliseconds: 100 })).rejects.toEqual(refused('timeout'))
    answer = (_request, response) => response.destroy()
    await expect(send(at('a.example'))).rejects.toEqual(refused('unreachable'))
  })

  test('a program cannot frame messages itself, and sends secrets only over TLS', async () => {
    const url = at('a.example')
    for (const headers of [{ host: 'b' }, { 'transfer-encoding': 'chunked' }, { 'x y': '1' }])
      await expect(send({ url, headers: headers as never })).rejects.toEqual(refused('bad_request'))
    await expect(send({ url, headers: { 'x-a': 'a\r\nx-b: b' } })).rejects.toEqual(
      refused('bad_request'),
    )
    await expect(send({ url, method: 'CONNECT' })).rejects.toEqual(refused('bad_request'))
    const credentials = { authorization: 'Bearer x' }
    await expect(send({ url: 'http://a.example/', credentials })).rejects.toEqual(
      refused('bad_request'),
    )
    expect(requests).toEqual([])
  })
})

test('the setting lists addresses with ports', () => {
  expect(readEgressSettings({ GROVE_EGRESS_ALLOW: '10.0.0.7:8080, [fd00::7]:443' })).toEqual({
    allowed: [
      { address: '10.0.0.7', port: 8080 },
      { address: 'fd00::7', port: 443 },
    ],
  })
  for (const wrong of ['10.0.0.7', 'localhost:80', '10.0.0.7:0', '*'])
    expect(() => readEgressSettings({ GROVE_EGRESS_ALLOW: wrong })).toThrow('GROVE_EGRESS_ALLOW')
})
