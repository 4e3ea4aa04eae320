import type { Socket } from 'node:net'
import { sql } from 'kysely'
import type { Event } from '@grove/contract/core/event'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from './core/config.ts'
import { startTestServer, testKeys, type TestServer } from './core/testing/test-platform.ts'
import { buildApp } from './core/http/app.ts'
import { ipOf } from './services/maple/connect/gateway/web-socket.ts'
import { maple } from './services/maple/index.ts'

let server: TestServer
beforeAll(async () => (server = await startTestServer([maple])))
afterAll(() => server.close())

const refuse = (times: number, remoteAddress = '127.0.0.1') =>
  Promise.all(
    Array.from({ length: times }, () =>
      server.app.inject({ url: '/api/maple/device', remoteAddress }),
    ),
  )

test('refusals become one event per minute and code, with the addresses they came from', async () => {
  await refuse(3)
  await refuse(5, '203.0.113.9')
  await server.app.inject({ url: '/api/maple/device', headers: { host: 'evil.example' } })
  // An ordinary mistake is not a security event.
  await server.app.inject('/api/nothing')
  await server.app.securityCounter.flush()
  const headers = await server.bearer(['ADMIN'])
  const url = '/api/maple/event?action=security.refused'
  const { items } = (await server.app.inject({ url, headers })).json<{ items: Event[] }>()
  expect(items.map(({ subject, after }) => [subject, after])).toEqual(
    expect.arrayContaining([
      [
        'unauthorized',
        {
          count: 8,
          addresses: [
            { ip: '203.0.113.9', count: 5 },
            { ip: '127.0.0.1', count: 3 },
          ],
        },
      ],
      ['unknown_host', { count: 1, addresses: [{ ip: '127.0.0.1', count: 1 }] }],
    ]),
  )
  expect(items).toHaveLength(2)
  await server.app.securityCounter.flush()
  const { rows } = await sql`select from maple.event where action = 'security.refused'`.execute(
    server.platform.db,
  )
  expect(rows).toHaveLength(2)
})

test('metrics count answers, refusals and jobs in the format of Prometheus', async () => {
  await refuse(2)
  const { body, headers } = await server.app.inject('/metrics')
  expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
  const value = (name: string) =>
    Number(
      body
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')
        .at(-1),
    )
  expect(value('grove_refused_total{code="unauthorized"}')).toBeGreaterThanOrEqual(2)
  const devices = 'service="maple",method="GET",route="/api/maple/device"'
  expect(value(`grove_requests_total{${devices},status="4xx"}`)).toBeGreaterThanOrEqual(2)
  expect(value(`grove_request_seconds_bucket{le="+Inf",${devices}}`)).toBe(
    value(`grove_request_seconds_count{${devices}}`),
  )
  expect(value('grove_database_up')).toBe(1)
  expect(value('grove_objects_up')).toBe(1)
  expect(value('grove_database_connections{state="idle"}')).toBeGreaterThanOrEqual(0)
  expect(value('process_resident_memory_bytes')).toBeGreaterThan(1e7)
  for (const line of body.trim().split('\n'))
    expect(line).toMatch(/^(# (HELP|TYPE) .+|[a-z_0-9]+(\{[^}]*\})? -?[\d.e+-]+)$/)
})

test('metrics are for this machine, and elsewhere for holders of the token', async () => {
  const read = (headers: Record<string, string> = {}, remoteAddress = '192.0.2.1') =>
    server.app.inject({ url: '/metrics', headers, remoteAddress })
  expect((await read()).statusCode).toBe(404)
  const through = { 'x-forwarded-for': '192.0.2.1' }
  expect((await read(through, '127.0.0.1')).statusCode).toBe(404)
  const token = 'a-token-of-sixteen-characters'
  Object.assign(server.platform.config, { metricsToken: token })
  expect((await read({ authorization: `Bearer ${token}` })).statusCode).toBe(200)
  expect((await read({ authorization: `Bearer ${token}x` })).statusCode).toBe(404)
  expect((await read({ host: 'pod-7:3000', authorization: `Bearer ${token}` })).statusCode).toBe(
    200,
  )
  Object.assign(server.platform.config, { metricsToken: undefined })
  expect(() => readConfig({ GROVE_METRICS_TOKEN: 'short' })).toThrow('GROVE_METRICS_TOKEN')
})

test.each([
  [1, '203.0.113.7, 198.51.100.8, 192.0.2.9', '192.0.2.9'],
  [2, '203.0.113.7, 198.51.100.8, 192.0.2.9', '198.51.100.8'],
  [3, '198.51.100.8, 192.0.2.9', '198.51.100.8'],
  [2, undefined, '10.0.0.1'],
] as const)('behind %i proxies, %s comes from %s', async (proxies, forwarded, address) => {
  const config = { ...server.platform.config, trustsProxy: true, proxies, isLocal: false }
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  expect(ipOf({ headers, socket: { remoteAddress: '10.0.0.1' } as Socket }, config)).toBe(address)
  const app = await buildApp({ ...server.platform, config }, [maple, testKeys])
  const seen: unknown[] = []
  app.addHook('onResponse', async ({ ip }) => void seen.push(ip))
  await app.inject({ url: '/readyz', headers, remoteAddress: '10.0.0.1' })
  await app.close()
  expect(seen).toEqual([address])
})

test('only a small number of proxies is accepted', () => {
  const read = (value: string) => readConfig({ GROVE_TRUST_PROXY: value }).proxies
  expect(['off', 'on', '1', '2', '5'].map(read)).toEqual([0, 1, 1, 2, 5])
  for (const value of ['6', '-1', 'yes']) expect(() => read(value)).toThrow('GROVE_TRUST_PROXY')
})
