import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'
import { insertRun } from './handler-run.queries.ts'

let server: TestServer
let silent: Server
let asked = 0

beforeAll(async () => {
  silent = createServer(() => void (asked += 1))
  await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo
  server = await startTestServer([maple], { env: { GROVE_EGRESS_ALLOW: `127.0.0.1:${port}` } })
})
afterAll(async () => {
  await server.close()
  silent.closeAllConnections()
  await new Promise((resolve) => void silent.close(resolve))
})

async function makeHandler(serviceId: string, code: string): Promise<string> {
  const headers = await server.bearer(['ADMIN'])
  const ask = (url: string, payload: object) =>
    server.app.inject({ method: 'POST', url: `/api/maple/cloud_handlers${url}`, headers, payload })
  const made = await ask('', {
    name: `Handler ${randomUUID()}`,
    trigger: { type: 'webhook', proof: 'token' },
    code,
    hosts: ['127.0.0.1'],
    limits: { milliseconds: 60_000, calls: 1, kilobytes: 10, attempts: 1 },
  })
  expect([made.statusCode, made.body]).toEqual([201, made.body])
  const { id } = made.json<{ id: string }>()
  await sql`
    insert into maple.service (id, name, name_key) values (${serviceId}, ${serviceId}, ${serviceId})
    on conflict do nothing`.execute(server.platform.db)
  await sql`update maple.cloud_handler set service_id = ${serviceId} where id = ${id}`.execute(
    server.platform.db,
  )
  expect((await ask(`/${id}/deploy`, {})).statusCode).toBe(200)
  return id
}

const deliver = (handlerId: string) =>
  insertRun(server.platform.db, {
    handlerId,
    source: 'webhook',
    type: 'webhook',
    key: randomUUID(),
    event: {},
    mostAttempts: 1,
  })

const count = async (handlers: readonly string[], state: string) => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from maple.cloud_handler_run
    where handler_id = any(${handlers}::uuid[]) and state = ${state}`.execute(server.platform.db)
  return rows[0]?.count
}

test('endless deliveries of one service provider leave room for those of another', async () => {
  const { port } = silent.address() as AddressInfo
  const waits = `fetch('http://127.0.0.1:${port}/')`
  const endless = await Promise.all(Array.from({ length: 6 }, () => makeHandler('crowd', waits)))
  const quick = await makeHandler('neighbour', '1 + 1')
  for (const id of endless) for (let n = 0; n < 8; n++) await deliver(id)
  await vi.waitFor(() => expect(asked).toBe(4), { timeout: 20_000, interval: 50 })

  for (let n = 0; n < 3; n++) await deliver(quick)
  await vi.waitFor(async () => expect(await count([quick], 'succeeded')).toBe(3), {
    timeout: 20_000,
    interval: 50,
  })
  // Its own share, however many of its handlers wait.
  expect([await count(endless, 'running'), await count(endless, 'queued')]).toEqual([4, 44])
  expect(asked).toBe(4)
})
