import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Device } from '@grove/contract/maple/fleet/device'
import { apiVersionsOf } from '../../../../core/service.ts'
import { resourceClient } from '../../../../core/testing/resource-client.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'

let server: TestServer
let admin: { authorization: string }
let devices: ReturnType<typeof resourceClient<Device>>
beforeAll(async () => {
  server = await startTestServer([maple], {
    apiVersions: { ...apiVersionsOf([maple]), cedar: '1.7' },
  })
  admin = await server.bearer(['ADMIN'])
  devices = resourceClient(server, '/api/maple/device', admin)
})
afterAll(() => server.close())

const unlink = (innerId: string, headers: Record<string, string> = admin) =>
  server.app.inject({
    method: 'POST',
    url: '/api/admin/wearable/unlink',
    headers,
    payload: { innerId },
  })

async function account(): Promise<string> {
  const id = randomUUID()
  const payload = { id }
  await server.app.inject({ method: 'POST', url: '/api/maple/account', headers: admin, payload })
  return id
}

async function wearable() {
  const [innerId, accountId] = [`W-${randomUUID()}`, await account()]
  const device = await devices.create({ name: 'Watch', type: 'iot', innerId, accountId })
  return { innerId, accountId, device }
}

const find = async (innerId: string) =>
  (await devices.send('GET', { innerId })).json<{ items: Device[] }>().items

test('a wearable is found by its inner id, unlinked once, and still known afterwards', async () => {
  const { innerId, accountId, device } = await wearable()
  expect(await find(innerId)).toMatchObject([{ id: device.id, innerId, accountId }])
  expect(await find('W-unknown')).toEqual([])
  const first = await unlink(innerId)
  expect(first.json()).toEqual({ innerId, deviceId: device.id, unlinkedFrom: accountId })
  const again = await unlink(innerId)
  expect([again.statusCode, again.json().unlinkedFrom]).toEqual([200, null])
  expect(await find(innerId)).toMatchObject([{ id: device.id, accountId: null }])
  const events = (await devices.eventsOf(device.id)).filter(
    ({ action }: { action: string }) => action === 'wearable.unlink',
  )
  expect(events).toMatchObject([{ before: { accountId }, after: { accountId: null } }])
})

test('two concurrent requests unlink it once', async () => {
  const { innerId, accountId } = await wearable()
  const answers = await Promise.all([unlink(innerId), unlink(innerId), unlink(innerId)])
  const from = answers.map((answer) => answer.json().unlinkedFrom)
  expect(from.filter(Boolean)).toEqual([accountId])
})

test('the call uses Cedar’s api-version, as specified, and only admins may make it', async () => {
  const { innerId } = await wearable()
  expect((await unlink(innerId, { ...admin, 'api-version': '3' })).json()).toMatchObject({
    code: 'unsupported_api_version',
  })
  expect((await unlink(innerId, { ...admin, 'api-version': '1.7' })).statusCode).toBe(200)
  expect((await unlink(innerId, await server.bearer(['DEVELOPER']))).statusCode).toBe(403)
  expect((await unlink('W-unknown')).statusCode).toBe(404)
  expect((await unlink('<script>')).statusCode).toBe(400)
})

test('an inner id belongs to one device, and an account needs one', async () => {
  const { innerId, accountId, device } = await wearable()
  const post = (body: object) =>
    server.app.inject({
      method: 'POST',
      url: '/api/maple/device',
      headers: admin,
      payload: { name: 'Ring', type: 'iot', ...body },
    })
  const taken = (await post({ innerId })).json()
  expect(taken).toMatchObject({ code: 'already_exists', errors: [{ path: 'innerId' }] })
  const bare = (await post({ accountId })).json()
  expect(bare).toMatchObject({ status: 400, errors: [{ path: 'innerId' }] })
  const unknown = (await post({ innerId: 'W-9', accountId: randomUUID() })).json()
  expect(unknown).toMatchObject({ status: 400, errors: [{ path: 'accountId' }] })
  const same = `W-${randomUUID()}`
  const made = await Promise.all([post({ innerId: same }), post({ innerId: same })])
  expect(made.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([201, 409])

  const put = (body: object) =>
    server.app.inject({
      method: 'PUT',
      url: `/api/maple/device?id=${device.id}`,
      headers: admin,
      payload: body,
    })
  expect((await put({ innerId: null })).statusCode).toBe(400)
  expect((await put({ innerId: null, accountId: null })).json()).toMatchObject({ innerId: null })
  await put({ innerId, accountId })
  // Deleting an account leaves the wearable unbound.
  await server.app.inject({
    method: 'DELETE',
    url: `/api/maple/account?id=${accountId}`,
    headers: admin,
  })
  expect(await find(innerId)).toMatchObject([{ accountId: null }])
})
