import { createServer, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { Notification } from '@grove/contract/cedar/notification'
import { signatureOf } from '../push-transport/webhook-transport.ts'
import {
  fcmError,
  invalidToken,
  json,
  startFcmServer,
  type FcmServer,
} from '../push-transport/testing/fcm-server.ts'
import { startCatalogue, tenant, type CatalogueServer, type Tenant } from '../testing/catalogue.ts'
import { settleNotifications } from './delivery.service.ts'

const url = '/api/notification'
const patience = { timeout: 15_000, interval: 30 }

let fcm: FcmServer
let server: CatalogueServer
/** Advances the clocks of the service and of the jobs. */
let passed = 0

async function start(env: Record<string, string>): Promise<CatalogueServer> {
  const started = await startCatalogue({
    env,
    jobs: { hasRecurring: false, pollMs: 100, beatMs: 100, passedMs: () => passed },
  })
  // The tests' tokens stay valid.
  Object.assign(started.context, { now: () => Date.now() + passed })
  return started
}

beforeAll(async () => {
  fcm = await startFcmServer()
  server = await start({ GROVE_FCM_ACCOUNT: fcm.account, GROVE_FCM_URL: fcm.url })
})
beforeEach(() => {
  fcm.onMessage = () => undefined
  fcm.received.length = 0
})
afterAll(async () => {
  await server.close()
  await fcm.stop()
})

const texts = [
  { localeCode: 'en-US', title: 'New', body: 'Three clocks' },
  { localeCode: 'ru-RU', title: 'Новое', body: 'Трое часов' },
]

/** An app with this many devices, every third of them Russian. */
async function audience(count: number, who?: Tenant, host = server) {
  const anna = who ?? (await tenant(host))
  const { productId } = await anna.product()
  await sql`
    insert into cedar.push_device (product_id, token, platform, locale_code, app_version)
    select ${productId}::uuid, ${`${productId}-`} || n, 'android',
      case n % 3 when 0 then 'ru-RU' else 'en-US' end, '{1,0,0}'
    from generate_series(1, ${count}::integer) n`.execute(host.context.db)
  return { anna, productId }
}

async function compose(anna: Tenant, productId: string, more: object = {}): Promise<Notification> {
  const { status, body } = await anna.send('POST', url, { productId, translations: texts, ...more })
  expect([status, body.detail]).toEqual([201, undefined])
  return body
}

const read = async (anna: Tenant, id: string): Promise<Notification> =>
  (await anna.send('GET', `${url}/${id}`)).body

const untilState = (anna: Tenant, id: string, state: Notification['state']) =>
  vi.waitFor(async () => {
    const found = await read(anna, id)
    expect(found.state).toBe(state)
    return found
  }, patience)

const report = (receipt: string, event: 'delivered' | 'opened') =>
  tenant(server, []).then((phone) => phone.send('POST', `${url}/receipt`, { receipt, event }))

it('every device gets the text in its language, and each report of a device counts once', async () => {
  const { anna, productId } = await audience(7)
  const linked = await anna.send('PUT', `/api/developer/product/${productId}/link`)
  const { id } = await compose(anna, productId, {
    link: 'product',
    expiresAt: new Date(Date.now() + 3600_000).toISOString(),
  })
  const sent = await untilState(anna, id, 'sent')
  expect(sent).toMatchObject({ devices: 7, sent: 7, failed: 0, transport: 'fcm', failures: {} })
  const titles = fcm.received.map(({ notification }) => notification.title).toSorted()
  expect(titles).toEqual(['New', 'New', 'New', 'New', 'New', 'Новое', 'Новое'])
  const [first, second] = fcm.received
  expect(first?.data).toMatchObject({
    notificationId: id,
    productId,
    linkId: linked.body.linkId,
  })

  const receipt = first?.data['receipt'] ?? ''
  const other = second?.data['receipt'] ?? ''
  const answers = await Promise.all([
    report(receipt, 'delivered'),
    report(receipt, 'delivered'),
    report(receipt, 'opened'),
    report(receipt, 'opened'),
    report(other, 'opened'),
  ])
  expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204])
  expect(await read(anna, id)).toMatchObject({ delivered: 2, opened: 2 })
  const forged = `${receipt.slice(0, 10)}${receipt[10] === 'A' ? 'B' : 'A'}${receipt.slice(11)}`
  expect((await report(forged, 'opened')).status).toBe(404)

  const { days } = (await anna.send('GET', `${url}/statistics?productId=${productId}`)).body
  expect(days).toMatchObject([{ notifications: 1, sent: 7, delivered: 2, opened: 2, failed: 0 }])
  const [own] = (await anna.send('GET', '/api/provider')).body
  const ofProvider = await anna.send('GET', `${url}/statistics?providerId=${own.id}`)
  expect(ofProvider.body.days).toEqual(days)
})

it('a batch larger than one is sent to the end, once each @long', async () => {
  const { anna, productId } = await audience(1203)
  const { id } = await compose(anna, productId)
  expect(await untilState(anna, id, 'sent')).toMatchObject({ devices: 1203, sent: 1203 })
  expect(new Set(fcm.received.map(({ token }) => token)).size).toBe(1203)
  expect(fcm.received).toHaveLength(1203)
})

it('only the narrowed audience gets it, and an empty audience gets nothing', async () => {
  const { anna, productId } = await audience(6)
  const russian = await compose(anna, productId, { audience: { locales: ['ru-RU'] } })
  expect(await untilState(anna, russian.id, 'sent')).toMatchObject({ devices: 2, sent: 2 })
  const none = await compose(anna, productId, { audience: { platforms: ['ios'] } })
  expect(await untilState(anna, none.id, 'not_sent')).toMatchObject({
    devices: 0,
    reason: 'no_devices',
  })
})

it('dead tokens are dropped; other refusals are counted by their reason', async () => {
  const { anna, productId } = await audience(6)
  fcm.onMessage = ({ token }) => {
    if (token.endsWith('-1')) return fcmError(404, 'UNREGISTERED')
    if (token.endsWith('-2')) return invalidToken
    if (token.endsWith('-3')) return fcmError(400, 'INVALID_ARGUMENT')
    return token.endsWith('-4') ? fcmError(403, 'SENDER_ID_MISMATCH') : undefined
  }
  const { id } = await compose(anna, productId)
  expect(await untilState(anna, id, 'sent')).toMatchObject({
    sent: 2,
    failed: 4,
    failures: { unregistered: 1, invalid_token: 1, refused: 1, sender_mismatch: 1 },
  })
  const left = await anna.send('GET', `${url}/device?productId=${productId}`)
  expect(left.body.items).toHaveLength(4)
})

it('an expired access token is replaced, and no message is lost', async () => {
  const { anna, productId } = await audience(3)
  const before = fcm.exchanges()
  fcm.revokeTokens()
  const { id } = await compose(anna, productId)
  expect(await untilState(anna, id, 'sent')).toMatchObject({ sent: 3, failed: 0 })
  expect(fcm.exchanges()).toBe(before + 1)
})

it('a transport that asks for a pause gets it, and then the rest, each once', async () => {
  const { anna, productId } = await audience(40)
  let refusals = 0
  fcm.onMessage = () =>
    fcm.received.length >= 10 && refusals++ < 1000
      ? fcmError(429, 'QUOTA_EXCEEDED', { 'retry-after': '600' })
      : undefined
  const { id } = await compose(anna, productId)
  const job = async () =>
    sql<{ wait: number }>`
      select extract(epoch from j.due_at - now())::float8 as wait from cedar.notification n
      join cedar.job j on j.id = n.job_id and j.state = 'queued' where n.id = ${id}`.execute(
      server.context.db,
    )
  await vi.waitFor(async () => {
    const [queued] = (await job()).rows
    expect(queued?.wait).toBeGreaterThan(500)
    expect(queued?.wait).toBeLessThan(700)
  }, patience)
  const paused = await read(anna, id)
  expect(paused.state).toBe('sending')
  expect(paused.sent).toBe(fcm.received.length)
  // Not all of the remaining ones were tried.
  expect(refusals).toBeLessThanOrEqual(32)

  refusals = 1000
  passed += 700_000
  expect(await untilState(anna, id, 'sent')).toMatchObject({ sent: 40, failed: 0 })
  expect(new Set(fcm.received.map(({ token }) => token)).size).toBe(40)
  expect(fcm.received).toHaveLength(40)
})

const faults: [what: string, reply: (response: ServerResponse) => void][] = [
  ['fails', fcmError(500, 'INTERNAL')],
  ['lies', json(200, '<html>Welcome to the hotel</html>')],
  ['breaks off', (response) => void response.destroy()],
  ['floods', json(200, 'x'.repeat(1_000_000))],
]
it.each(faults)('a transport that %s for a while does no lasting harm', async (_what, reply) => {
  const { anna, productId } = await audience(5)
  fcm.onMessage = () => reply
  const { id } = await compose(anna, productId)
  await vi.waitFor(async () => {
    const { rows } = await sql`
      select from cedar.notification_retry where notification_id = ${id}`.execute(server.context.db)
    expect(rows).toHaveLength(5)
  }, patience)
  expect(await read(anna, id)).toMatchObject({ state: 'sending', sent: 0, failed: 0 })
  fcm.onMessage = () => undefined
  passed += 60_000
  expect(await untilState(anna, id, 'sent')).toMatchObject({ sent: 5, failed: 0 })
})

it('a message that never goes through is given up with its reason; others are not held up @long', async () => {
  const { anna, productId } = await audience(5)
  fcm.onMessage = ({ token }) => (token.endsWith('-1') ? fcmError(500, 'INTERNAL') : undefined)
  const { id } = await compose(anna, productId)
  await vi.waitFor(async () => expect((await read(anna, id)).sent).toBe(4), patience)
  const done = await vi.waitFor(async () => {
    passed += 1800_000
    const found = await read(anna, id)
    expect(found.state).toBe('sent')
    return found
  }, patience)
  expect(done).toMatchObject({ sent: 4, failed: 1 })
  expect(Object.values(done.failures)).toEqual([1])
})

it('scheduled notifications wait for their time, and end with their expiry', async () => {
  const { anna, productId } = await audience(2)
  const at = (hours: number) => new Date(Date.now() + passed + hours * 3600_000).toISOString()
  const due = await compose(anna, productId, { sendAt: at(1) })
  const cancelled = await compose(anna, productId, { sendAt: at(1) })
  const expiring = await compose(anna, productId, { sendAt: at(1), expiresAt: at(2) })
  await anna.send('POST', `${url}/${cancelled.id}/cancel`)
  expect(fcm.received).toEqual([])
  // The process was down until the expiry had passed.
  fcm.onMessage = ({ data }) =>
    data['notificationId'] === expiring.id ? fcmError(500, 'INTERNAL') : undefined
  passed += 3601_000
  await untilState(anna, due.id, 'sent')
  await vi.waitFor(
    async () => expect((await read(anna, expiring.id)).state).toBe('sending'),
    patience,
  )
  passed += 3600_000
  expect(await untilState(anna, expiring.id, 'expired')).toMatchObject({
    sent: 0,
    failures: { expired: 2 },
  })
  expect((await read(anna, cancelled.id)).state).toBe('cancelled')
  expect(fcm.received).toHaveLength(2)
})

it('a notification whose job was cancelled by an admin does not wait forever', async () => {
  const { anna, productId } = await audience(2)
  const { id } = await compose(anna, productId, {
    sendAt: new Date(Date.now() + passed + 1500).toISOString(),
  })
  await sql`update cedar.job set state = 'cancelled', finished_at = now()
    where id = (select job_id from cedar.notification where id = ${id})`.execute(server.context.db)
  await sql`update cedar.notification set at = now() - interval '1 minute' where id = ${id}`.execute(
    server.context.db,
  )
  await settleNotifications(server.context)
  expect((await read(anna, id)).state).toBe('cancelled')
})

it('a test goes to the test devices immediately and reports the outcome of each', async () => {
  const { anna, productId } = await audience(3)
  const test = () => anna.send('POST', `${url}/test`, { productId, translations: texts })
  expect((await test()).body.code).toBe('no_test_devices')
  const { items } = (await anna.send('GET', `${url}/device?productId=${productId}`)).body
  for (const [index, { id }] of items.slice(0, 2).entries())
    await anna.send('PUT', `${url}/device/${id}`, { isTest: true, name: `Phone ${index}` })
  let count = 0
  fcm.onMessage = () => (++count === 1 ? undefined : fcmError(404, 'UNREGISTERED'))
  const { results } = (await test()).body
  expect(results).toHaveLength(2)
  expect(new Set(results.map(({ reason }: { reason: string | null }) => reason))).toEqual(
    new Set([null, 'unregistered']),
  )
  expect((await anna.send('GET', `${url}?productId=${productId}`)).body.total).toBe(0)
})

it('a webhook gets signed batches, and recognises repetitions by their key @long', async () => {
  const secret = 'a-secret-of-thirty-two-characters-or-more'
  const batches: { key: string; body: string; signature: string }[] = []
  let failures = 1
  const hook = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      const { headers } = request
      batches.push({
        key: String(headers['idempotency-key']),
        signature: String(headers['grove-signature']),
        body,
      })
      if (failures-- > 0) return void response.writeHead(503).end()
      const { messages } = JSON.parse(body) as { messages: { deviceId: string; token: string }[] }
      const results = messages.map(({ deviceId, token }) => ({
        deviceId,
        status: token.endsWith('-1') ? 'dead' : 'taken',
      }))
      response.end(JSON.stringify({ results }))
    })
  }).listen(0, '127.0.0.1')
  await once(hook, 'listening')
  const own = await start({
    GROVE_PUSH_WEBHOOK_URL: `http://127.0.0.1:${(hook.address() as AddressInfo).port}/push`,
    GROVE_PUSH_WEBHOOK_SECRET: secret,
  })
  const { anna, productId } = await audience(4, undefined, own)
  const { id } = await compose(anna, productId)
  await vi.waitFor(() => expect(batches).toHaveLength(1), patience)
  passed += 60_000
  expect(await untilState(anna, id, 'sent')).toMatchObject({
    sent: 3,
    failed: 1,
    transport: 'webhook',
  })
  for (const { body, signature } of batches) {
    const [, seconds = '', given] = /^t=(\d+),v1=(\w+)$/.exec(signature) ?? []
    expect(given).toBe(signatureOf(secret, Number(seconds), body))
    expect(JSON.parse(body)).toMatchObject({
      messages: [{ message: { data: { notificationId: id } } }, {}, {}, {}],
    })
  }
  expect(batches.map(({ key }) => key)).toEqual([`${id}.0`, `${id}.1`])
  await own.close()
  hook.closeAllConnections()
  hook.close()
}, 30_000)
