import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stageHeader } from '@grove/contract/stage.rules'
import { startTestServer, type TestServer } from './core/testing/test-platform.ts'
import { cedar } from './services/cedar/index.ts'
import { maple } from './services/maple/index.ts'

let server: TestServer
let admin: { authorization: string }
beforeAll(async () => {
  server = await startTestServer([cedar, maple])
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  admin = await server.bearer(['ADMIN'])
})
afterAll(() => server.close())

async function made(url: string, payload: object, method: 'POST' | 'PUT' = 'POST') {
  const answer = await server.app.inject({ method, url, headers: admin, payload })
  expect(answer.statusCode).toBeLessThan(300)
  return answer.json<{ id: string }>()
}

const connections = () =>
  new Promise<number>((resolve) =>
    server.app.server.getConnections((_error, count) => resolve(count)),
  )

/** Sends a request, and reads only the head of the response. */
async function watch(path: string, headers: { authorization: string }) {
  const { port } = server.app.server.address() as AddressInfo
  const asked = request({ host: '127.0.0.1', port, path, headers, agent: false })
  asked.on('error', () => {}).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.on('error', () => {}).pause()
  expect(answer.statusCode).toBe(200)
  expect(await connections()).toBe(1)
}

const soon = { timeout: 20_000, interval: 20 }
/** After the response has started, on a busy machine too. */
const lifeMs = 5000

/** More than the buffers of a connection hold. */
async function longDownload(serviceId: string) {
  const deviceId = `meter-${randomUUID()}`
  await made('/api/maple/device', { id: deviceId, name: deviceId, type: 'iot', serviceId })
  await sql`select maple.make_telemetry_days()`.execute(server.platform.db)
  await sql`
    insert into maple.telemetry (device_id, key, ts, value)
    select ${deviceId}, 'n', date_trunc('day', now()) + number * interval '1 millisecond', number
    from generate_series(1, 300000) as number`.execute(server.platform.db)
  const from = new Date(Date.now() - 86_400_000).toISOString()
  const to = new Date(Date.now() + 86_400_000).toISOString()
  const range = new URLSearchParams({ deviceId, key: 'n', from, to })
  return `/api/maple/device/telemetry/export?${range}`
}

test('streams end with the date of the account', async () => {
  const handler = await made('/api/maple/cloud_handlers', {
    name: 'Watched',
    trigger: { type: 'webhook', proof: 'token' },
    code: 'log(1)',
  })
  const userId = randomUUID()
  const watcher = await server.bearer(['DEVELOPER'], userId)
  const expiresAt = new Date(Date.now() + lifeMs).toISOString()
  await made('/api/maple/account', { id: userId, roles: ['admin'], expiresAt })
  await watch(`/api/maple/cloud_handlers/${handler.id}/stream`, watcher)
  await expect.poll(connections, soon).toBe(0)
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt))
}, 40_000)

test('downloads end with the date of the key', async () => {
  const ownerId = randomUUID()
  const owner = await server.bearer(['DEVELOPER'], ownerId)
  // Cedar knows anyone who has sent a token.
  await server.app.inject({ url: '/api/provider', headers: owner })
  const { id } = await made('/api/cedar/provider', { name: 'Tides', ownerId })
  const key = `grove_api_${randomBytes(32).toString('base64url')}`
  await made(`/api/admin/provider/${id}`, { mobyApiKey: key }, 'PUT')
  // Creates the stage's service provider.
  const headers = { ...owner, [stageHeader]: id }
  await server.app.inject({ url: '/api/maple/device', headers })
  const download = await longDownload(id)
  const endsAt = new Date(Date.now() + lifeMs)
  // A changed date ends open streams, as a revocation does.
  const isKnown = new Promise<void>((resolve) => {
    const stop = server.app.revocations.on(({ subject }) => {
      if (subject !== id) return
      stop()
      resolve()
    })
  })
  await sql`
    update cedar.provider_key set ends_at = ${endsAt.toISOString()}::timestamptz
    where provider_id = ${id}`.execute(server.platform.db)
  await isKnown
  await watch(download, { authorization: `Bearer ${key}` })
  await expect.poll(connections, soon).toBe(0)
  expect(Date.now()).toBeGreaterThanOrEqual(endsAt.getTime())
}, 60_000)
