import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'
import type { MapleDb } from '../../base/tables.ts'

let server: TestServer
let db: MapleDb
let admin: { authorization: string }
beforeAll(async () => {
  server = await startTestServer([maple])
  db = server.platform.db
  admin = await server.bearer(['ADMIN'])
})
afterAll(() => server.close())

const ask = async (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  payload?: object,
  as: Record<string, string> = admin,
) => {
  const response = await server.app.inject({
    method,
    url: `/api/maple/device${path}`,
    headers: as,
    ...(payload && { payload }),
  })
  return { status: response.statusCode, body: response.body === '' ? null : response.json() }
}

async function device(as = admin) {
  const id = `d-${randomUUID()}`
  await ask('POST', '', { id, name: id, type: 'iot', state: 'accepted' }, as)
  return id
}
const list = async (deviceId: string, as = admin) =>
  await ask('GET', `/credential?deviceId=${deviceId}`, undefined, as)

async function providerAdmin(): Promise<{ authorization: string }> {
  const [id, service] = [randomUUID(), `s-${randomUUID()}`]
  await sql`insert into maple.service (id, name, name_key) values (${service}, ${service}, ${service})`.execute(
    db,
  )
  await sql`insert into maple.account (id, roles, service_id) values (${id}, '{provider_admin}', ${service})`.execute(
    db,
  )
  return server.bearer(['DEVELOPER'], id)
}

test('a device’s secret is shown once, stored as a hash, and never in the audit trail', async () => {
  const deviceId = await device()
  const made = await ask('POST', '/credential', { deviceId })
  expect(made).toMatchObject({ status: 201, body: { deviceId, usedAt: null } })
  const { id, secret } = made.body
  expect(secret).toMatch(/^[\w-]{43}$/)
  const listed = await list(deviceId)
  expect(listed.body.items).toMatchObject([{ id, deviceId }])
  const { rows } = await sql<{ text: string }>`
    select jsonb_agg(credential)::text
      || (select jsonb_agg(event)::text from maple.event as event where subject = ${deviceId}) as text
    from maple.device_credential as credential`.execute(db)
  expect(rows[0]?.text).toContain('credential.create')
  expect(JSON.stringify(listed.body) + rows[0]?.text).not.toContain(secret)
})

test('a device has two secrets while they are being changed, and never three', async () => {
  const deviceId = await device()
  const first = await ask('POST', '/credential', { deviceId })
  await ask('POST', '/credential', { deviceId })
  expect(await ask('POST', '/credential', { deviceId })).toMatchObject({
    status: 409,
    body: { code: 'limit_reached' },
  })
  expect(await ask('DELETE', `/credential?id=${first.body.id}`)).toMatchObject({ status: 204 })
  expect(await ask('DELETE', `/credential?id=${first.body.id}`)).toMatchObject({ status: 404 })
  expect(await ask('POST', '/credential', { deviceId })).toMatchObject({ status: 201 })
  const { rows } = await sql<{ action: string }>`
    select action from maple.event where subject = ${deviceId} order by id`.execute(db)
  expect(rows.map(({ action }) => action)).toEqual([
    'device.create',
    'credential.create',
    'credential.create',
    'credential.revoke',
    'credential.create',
  ])
})

test('a retired device gets no secret', async () => {
  const deviceId = await device()
  await ask('DELETE', `?id=${deviceId}`)
  expect(await ask('POST', '/credential', { deviceId })).toMatchObject({
    body: { code: 'transition_refused' },
  })
})

test('secrets, codes and connections of another service provider do not exist', async () => {
  const [a, b] = [await providerAdmin(), await providerAdmin()]
  const deviceId = await device(a)
  const { body } = await ask('POST', '/credential', { deviceId }, a)
  expect(await list(deviceId, a)).toMatchObject({ body: { items: [{ id: body.id }] } })
  expect((await list(deviceId, b)).status).toBe(404)
  expect((await ask('POST', '/credential', { deviceId }, b)).status).toBe(404)
  expect((await ask('DELETE', `/credential?id=${body.id}`, undefined, b)).status).toBe(404)
  const connection = `/connection?deviceId=${deviceId}`
  expect((await ask('GET', connection, undefined, b)).status).toBe(404)
  expect((await ask('GET', connection, undefined, a)).body).toMatchObject({ state: 'never' })
  const code = await ask('POST', '/claim_code', { name: 'Batch', type: 'iot' }, a)
  expect((await ask('GET', '/claim_code', undefined, b)).body.items).toEqual([])
  expect((await ask('DELETE', `/claim_code?id=${code.body.id}`, undefined, b)).status).toBe(404)
  expect((await ask('DELETE', `/claim_code?id=${code.body.id}`, undefined, a)).status).toBe(204)
})

test('with a broker, a secret waits encrypted for its account, and its end ends the account', async () => {
  const brokerUrl = 'mqtt://grove:password@127.0.0.1:1'
  const other = await startTestServer([maple], { env: { MQTT_URL: brokerUrl } })
  const as = await other.bearer(['ADMIN'])
  const call = async (method: 'POST' | 'DELETE', path: string, payload?: object) => {
    const url = `/api/maple/device${path}`
    const { body } = await other.app.inject({
      method,
      url,
      headers: as,
      ...(payload && { payload }),
    })
    return (body === '' ? null : JSON.parse(body)) as Made
  }
  try {
    const id = `d-${randomUUID()}`
    await call('POST', '', { id, name: id, type: 'iot', state: 'accepted' })
    const made: Made[] = []
    for (let n = 0; n < 2; n++) made.push(await call('POST', '/credential', { deviceId: id }))
    const waiting = async () => {
      const { rows } = await sql<{ user: string; sealed: string | null }>`
        select user_name as "user", sealed_secret as sealed from maple.broker_change order by id`.execute(
        other.platform.db,
      )
      return rows
    }
    expect((await waiting()).map(({ user }) => user).toSorted()).toEqual(
      made.map((each) => each.id).toSorted(),
    )
    const text = JSON.stringify(await waiting())
    for (const { secret } of made) expect(text).not.toContain(secret)
    await call('DELETE', `/credential?id=${made[0]?.id}`)
    expect(await waiting()).toMatchObject([
      { user: made[1]?.id, sealed: expect.stringMatching(/./) },
      { user: made[0]?.id, sealed: null },
    ])
    await call('DELETE', `?id=${id}`)
    expect(await waiting()).toMatchObject([
      { user: made[0]?.id, sealed: null },
      { user: made[1]?.id, sealed: null },
    ])
  } finally {
    await other.close()
  }
})

interface Made {
  id: string
  secret: string
}
