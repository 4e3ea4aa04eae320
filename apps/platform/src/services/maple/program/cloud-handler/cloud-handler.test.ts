import { telemetryStore } from '../../connect/telemetry/telemetry-store.ts'
import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type {
  HandlerRun,
  HandlerTrigger,
  OpenCloudHandler,
  OpenHandlerRun,
} from '@grove/contract/maple/program/cloud-handler'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { storeMessages, type GivenMessage } from '../../connect/gateway/intake.queries.ts'
import { readingClock } from '../../connect/telemetry/telemetry.rules.ts'
import { maple } from '../../index.ts'
import type { MapleDb } from '../../base/tables.ts'
import { streamRuns } from './run-stream.ts'

let server: TestServer
let db: MapleDb
let admin: Record<string, string>
let receiver: Server
let port: number
let received: { headers: IncomingHttpHeaders; body: string }[]
let status: number

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => (body += part))
    request.on('end', () => {
      received.push({ headers: request.headers, body })
      // A receiver that echoes requests.
      response.writeHead(status, { 'x-echo': request.headers.authorization ?? '' }).end('{"n":1}')
    })
  })
  await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve))
  port = (receiver.address() as AddressInfo).port
  server = await startTestServer([maple], { env: { GROVE_EGRESS_ALLOW: `127.0.0.1:${port}` } })
  db = server.platform.db
  admin = await server.bearer(['ADMIN'])
})
afterAll(async () => {
  await server.close()
  receiver.closeAllConnections()
  await new Promise((resolve) => void receiver.close(resolve))
})
beforeEach(() => {
  received = []
  status = 200
})

const root = '/api/maple/cloud_handlers'

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it says what is asked for
async function ask<Body>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  payload?: object,
  headers: Record<string, string> = admin,
): Promise<{ status: number; body: Body; text: string }> {
  const url = path.startsWith('/api') ? path : `${root}${path}`
  const answer = await server.app.inject({ method, url, headers, ...(payload && { payload }) })
  const isJson = String(answer.headers['content-type']).includes('json')
  return {
    status: answer.statusCode,
    text: answer.body,
    body: (isJson ? answer.json() : null) as Body,
  }
}

const onEvents = (events: string[], more: object = {}) =>
  ({ type: 'event', events, kinds: [], match: [], ...more }) as unknown as HandlerTrigger
const hook = (proof: 'token' | 'hmac'): HandlerTrigger => ({ type: 'webhook', proof })

async function makeHandler(trigger: HandlerTrigger, code: string, more: object = {}) {
  const made = await ask<OpenCloudHandler>('POST', '', {
    name: `Handler ${randomUUID()}`,
    trigger,
    code,
    hosts: ['127.0.0.1'],
    ...more,
  })
  expect([made.status, made.text]).toEqual([201, made.text])
  return made.body
}

async function deploy(id: string, body: object = {}): Promise<OpenCloudHandler> {
  const deployed = await ask<OpenCloudHandler>('POST', `/${id}/deploy`, body)
  expect([deployed.status, deployed.text]).toEqual([200, deployed.text])
  return deployed.body
}

const runsOf = async (id: string) =>
  (await ask<{ items: HandlerRun[] }>('GET', `/${id}/run`)).body.items

/** The newest run, once it meets the expectation. */
const runThat = (id: string, expected: Partial<HandlerRun>) =>
  vi.waitFor(
    async () => {
      const [run] = await runsOf(id)
      expect(run).toMatchObject(expected)
      return run as HandlerRun
    },
    { timeout: 20_000, interval: 50 },
  )

const open = async (id: string, runId: string) =>
  (await ask<OpenHandlerRun>('GET', `/${id}/run/${runId}`)).body

async function makeDevice(): Promise<string> {
  const id = `d-${randomUUID()}`
  const made = await ask('POST', '/api/maple/device', {
    id,
    name: 'Greenhouse',
    type: 'iot',
    state: 'accepted',
  })
  expect(made.status).toBe(201)
  return id
}

const post = (more = '') => `
  const answer = fetch('http://127.0.0.1:${port}/in', {
    method: 'POST',
    headers: { 'idempotency-key': event.id ${more} },
    body: event,
  })
  log('answered', answer.status)
  if (!answer.ok) throw new Error('It answered ' + answer.status)
  answer.json().n`

test('a handler calls a receiver when a device comes online, with a secret that it cannot read', async () => {
  const code = `log(secret('key')); ${post(`, authorization: 'Bearer ' + secret('key')`)}
    log(answer.headers['x-echo']); answer.headers['x-echo']`
  const { id } = await makeHandler(onEvents(['device.online']), code)
  const put = await ask('PUT', `/${id}/secret`, { name: 'key', value: 'hunter2-hunter2' })
  expect(put).toMatchObject({ status: 200, body: { name: 'key' } })
  await deploy(id)
  const device = await makeDevice()
  await sql`update maple.device set state = 'online' where id = ${device}`.execute(db)
  const run = await runThat(id, {
    state: 'succeeded',
    type: 'device.online',
    attempts: 1,
    calls: 1,
  })
  expect(received).toHaveLength(1)
  expect(received[0]?.headers).toMatchObject({
    authorization: 'Bearer hunter2-hunter2',
    'idempotency-key': run.id,
  })
  expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
    id: run.id,
    type: 'device.online',
    attempt: 1,
    isTest: false,
    device: { id: device, name: 'Greenhouse', type: 'iot' },
    after: 'online',
  })
  const whole = await open(id, run.id)
  expect(whole.result).toBe('Bearer [secret key]')
  expect(whole.log.map(({ level }) => level)).toEqual(['info', 'fetch', 'info', 'info'])
  const { rows } = await sql<{ text: string }>`
    select (select jsonb_agg(run)::text from maple.cloud_handler_run as run)
      || (select jsonb_agg(line)::text from maple.cloud_handler_log as line)
      || (select jsonb_agg(secret)::text from maple.handler_secret as secret)
      || (select jsonb_agg(event)::text from maple.event as event) as text`.execute(db)
  expect(rows[0]?.text).toContain('[secret key]')
  expect(rows[0]?.text).not.toContain('hunter2')
  expect(await ask('GET', `/${id}/secret`)).toMatchObject({
    body: { items: [{ name: 'key' }] },
  })
})

test('a secret can be used only in headers', async () => {
  const body = `fetch('http://127.0.0.1:${port}/', { method: 'POST', body: secret('key') })`
  const url = `fetch('http://127.0.0.1:${port}/' + secret('key'))`
  for (const code of [body, url, `fetch('http://example.com/')`, `secret('none')`]) {
    const { id } = await makeHandler(hook('token'), code)
    await ask('PUT', `/${id}/secret`, { name: 'key', value: 'hunter2' })
    await ask('POST', `/${id}/test`, {})
    const { error } = await runThat(id, { state: 'dead', source: 'test' })
    expect(error?.name).toMatch(/^(Fetch|Secret)Error$/)
  }
  expect(received).toEqual([])
})

test('messages of other kinds, other values and other service providers are not delivered', async () => {
  const { id } = await makeHandler(
    onEvents(['device.message'], {
      kinds: ['event'],
      match: [{ path: 'data.alarm', value: true }],
    }),
    'event.data.level',
  )
  await deploy(id)
  const [device, foreign] = [await makeDevice(), await makeDevice()]
  await sql`insert into maple.service (id, name, name_key) values ('h', 'h', 'h')`.execute(db)
  await sql`update maple.device set service_id = 'h' where id = ${foreign}`.execute(db)
  await sql`
    insert into maple.device_stream (device_id, boot)
    values (${device}, 'b'), (${foreign}, 'b')`.execute(db)
  const alarm = { alarm: true, level: 7 }
  const event = (seq: number, d: unknown) => ({ t: 'event', boot: 'b', seq, d }) as const
  const given: GivenMessage[] = [
    { deviceId: device, message: event(1, alarm) },
    { deviceId: device, message: event(2, { alarm: false }) },
    { deviceId: device, message: { ...event(3, alarm), t: 'telemetry' } },
    // What jsonb cannot hold.
    { deviceId: device, message: event(4, { alarm: true, text: '\u0000' }) },
    { deviceId: foreign, message: event(1, alarm) },
  ]
  await storeMessages(
    { db, telemetry: telemetryStore(db, undefined) },
    given,
    readingClock(Date.now(), 90),
  )
  const run = await runThat(id, { state: 'succeeded' })
  expect(await runsOf(id)).toHaveLength(1)
  expect(await open(id, run.id)).toMatchObject({ result: 7, event: { kind: 'event', seq: 1 } })
})

test('a run names its device, but only one of its own service provider', async () => {
  const { id } = await makeHandler(onEvents(['device.online', 'device.message']), '1')
  await deploy(id)
  const [device, foreign] = [await makeDevice(), await makeDevice()]
  await sql`update maple.device set state = 'online' where id = ${device}`.execute(db)
  const run = await runThat(id, { state: 'succeeded', type: 'device.online' })
  expect(run.device).toEqual({ id: device, name: 'Greenhouse' })
  expect((await open(id, run.id)).device).toEqual({ id: device, name: 'Greenhouse' })

  await sql`insert into maple.service (id, name, name_key) values ('about', 'x', 'x')`.execute(db)
  await sql`update maple.device set service_id = 'about' where id = ${foreign}`.execute(db)
  const deviceOf = async (event: unknown) => {
    const { body } = await ask('POST', `/${id}/test`, { event })
    return (body as HandlerRun).device
  }
  expect(await deviceOf({ device: { id: foreign } })).toEqual({ id: foreign, name: null })
  expect(await deviceOf({ subject: device })).toEqual({ id: device, name: 'Greenhouse' })
  expect(await deviceOf({ device: 'x' })).toBeNull()
  // PostgreSQL cannot store this.
  const event = JSON.stringify({ device: { id: device }, text: '\u0000' })
  await sql`
    insert into maple.cloud_handler_run (handler_id, source, type, event, state, finished_at)
    values (${id}, 'event', 'device.message', ${event}::json, 'succeeded', now())`.execute(db)
  const [newest] = await runsOf(id)
  expect(newest).toMatchObject({ type: 'device.message', device: null })
})

test('a failed session is an event of its own', async () => {
  const { id } = await makeHandler(onEvents(['session.fail']), 'event.after.state')
  await deploy(id)
  const insert = (state: string) =>
    sql`
    insert into maple.event (action, subject, after)
    values ('session.close', ${randomUUID()}, ${JSON.stringify({ state })}::jsonb)`.execute(db)
  await insert('ended')
  await insert('failed')
  await runThat(id, { state: 'succeeded', type: 'session.fail' })
  expect(await runsOf(id)).toHaveLength(1)
})

test('a delivery is retried later, finally fails, and can be resent with its id', async () => {
  const limits = { milliseconds: 5000, calls: 5, kilobytes: 10, attempts: 3 }
  const { id } = await makeHandler(hook('token'), post(), { limits })
  const { path, secret } = await makeSecret(id)
  await deploy(id)
  status = 503
  const taken = await call(path, { headers: { authorization: `Bearer ${secret}` } })
  expect(taken.status).toBe(202)
  for (const attempts of [1, 2]) {
    const run = await runThat(id, { state: 'queued', attempts })
    const wait = Date.parse(run.dueAt ?? '') - Date.now()
    expect(wait).toBeGreaterThan(attempts * 10_000 - 9000)
    expect(wait).toBeLessThan(attempts * 12_000 + 1000)
    expect(run.error).toMatchObject({ name: 'Error', message: 'It answered 503', line: 8 })
    await sql`update maple.cloud_handler_run set due_at = now() where id = ${run.id}`.execute(db)
  }
  const dead = await runThat(id, { state: 'dead', attempts: 3 })
  expect(dead.id).toBe(taken.id)
  expect((await ask<OpenCloudHandler>('GET', `/${id}`)).body).toMatchObject({
    state: 'failing',
    failures: 3,
  })
  expect((await open(id, dead.id)).log.filter(({ level }) => level === 'error')).toHaveLength(3)
  status = 200
  expect(await ask('POST', `/${id}/resend`, {})).toMatchObject({ body: { count: 1 } })
  expect(await runThat(id, { state: 'succeeded', attempts: 1 })).toMatchObject({ id: dead.id })
  expect(new Set(received.map(({ headers }) => headers['idempotency-key']))).toEqual(
    new Set([dead.id]),
  )
  expect(await ask('GET', `/${id}`)).toMatchObject({ body: { state: 'active', failures: 0 } })
  expect(await ask('POST', `/${id}/resend`, { runId: dead.id })).toMatchObject({ status: 404 })
})

interface HookCall {
  headers?: Record<string, string>
  body?: string
}

async function makeSecret(id: string) {
  const made = await ask<{ path: string; secret: string }>('POST', `/${id}/hookSecret`)
  expect(made.status).toBe(201)
  return made.body
}

async function call(path: string, { headers = {}, body = '{"a":1}' }: HookCall) {
  const answer = await server.app.inject({
    method: 'POST',
    url: path,
    headers: { 'content-type': 'application/json', ...headers },
    payload: body,
  })
  const { id, code } = answer.json() as { id?: string; code?: string }
  return { status: answer.statusCode, id, code }
}

test('a webhook accepts requests only with its token, and a repeated one only once', async () => {
  const { id } = await makeHandler(hook('token'), 'event.body.a + event.query.b')
  const { path, secret } = await makeSecret(id)
  const proven = { authorization: `Bearer ${secret}` }
  // Not before it is deployed.
  expect(await call(path, { headers: proven })).toMatchObject({ status: 401 })
  const { hookPath } = await deploy(id)
  expect(hookPath).toBe(path)
  const wrong: Record<string, string>[] = [
    {},
    { authorization: `Bearer ${secret}x` },
    { 'x-grove-token': '' },
  ]
  for (const headers of wrong)
    expect(await call(path, { headers })).toMatchObject({ status: 401, code: 'unauthorized' })
  expect(await call(`${path}x`, { headers: proven })).toMatchObject({ status: 401 })
  const headers = { ...proven, 'idempotency-key': 'order 7' }
  const first = await call(`${path}?b=2`, { headers })
  expect(first).toMatchObject({ status: 202 })
  expect(await call(`${path}?b=3`, { headers })).toEqual(first)
  const run = await runThat(id, { state: 'succeeded', source: 'webhook' })
  expect(await runsOf(id)).toHaveLength(1)
  const { event, result } = await open(id, run.id)
  expect(result).toBe('12')
  expect(JSON.stringify(event)).not.toContain(secret)
  expect(await call(path, { headers: proven, body: 'x'.repeat(70_000) })).toMatchObject({
    status: 413,
  })
  // A new secret replaces the old one, and a disabled handler accepts nothing.
  const next = await makeSecret(id)
  expect(await call(path, { headers: proven })).toMatchObject({ status: 401 })
  const renewed = { authorization: `Bearer ${next.secret}` }
  expect(await call(path, { headers: renewed })).toMatchObject({ status: 202 })
  await ask('PUT', `/${id}`, { isDisabled: true })
  expect(await call(path, { headers: renewed })).toMatchObject({ status: 401 })
})

test('a webhook with signatures accepts an unmodified body, within a time limit', async () => {
  const { id } = await makeHandler(hook('hmac'), 'event.body')
  const { path, secret } = await makeSecret(id)
  await deploy(id)
  const body = '{"a": 1}'
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest('hex')
  const own = (seconds: number) => ({
    'grove-signature': `t=${seconds},v1=${sign(`${seconds}.${body}`)}`,
  })
  const now = Math.floor(Date.now() / 1000)
  const hub = { 'x-hub-signature-256': `sha256=${sign(body)}` }
  expect(await call(path, { headers: own(now), body })).toMatchObject({ status: 202 })
  expect(await call(path, { headers: hub, body })).toMatchObject({ status: 202 })
  expect(await call(path, { headers: own(now - 400), body })).toMatchObject({ status: 401 })
  expect(await call(path, { headers: hub, body: `${body} ` })).toMatchObject({ status: 401 })
  // The secret itself does not count as a signature.
  expect(await call(path, { headers: { 'x-grove-token': secret }, body })).toMatchObject({
    status: 401,
  })
})

test('a signed request is accepted once, with whatever ids it is repeated concurrently', async () => {
  const { id } = await makeHandler(hook('hmac'), 'event.body')
  const { path, secret } = await makeSecret(id)
  await deploy(id)
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest('hex')
  const seconds = Math.floor(Date.now() / 1000)
  for (const [body, signature] of [
    ['{"a":1}', { 'grove-signature': `t=${seconds},v1=${sign(`${seconds}.{"a":1}`)}` }],
    ['{"b":1}', { 'x-hub-signature-256': `sha256=${sign('{"b":1}').toUpperCase()}` }],
  ] as const) {
    const send = (key: number) =>
      call(path, { headers: { ...signature, 'idempotency-key': `${body} ${key}` }, body })
    const answers = [await send(1), ...(await Promise.all([2, 3, 4, 5].map(send)))]
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202])
    expect(new Set(answers.map((answer) => answer.id)).size).toBe(1)
  }
  expect(await runsOf(id)).toHaveLength(2)
  // A sender's own retry is signed anew, and identified by its id.
  const later = seconds - 5
  const again = {
    'grove-signature': `t=${later},v1=${sign(`${later}.{"a":1}`)}`,
    'idempotency-key': '{"a":1} 1',
  }
  expect(await call(path, { headers: again, body: '{"a":1}' })).toMatchObject({ status: 202 })
  expect(await runsOf(id)).toHaveLength(2)
})

test('unauthenticated requests are limited by their network, and use none of the webhook’s share @long', async () => {
  const { id } = await makeHandler(hook('token'), '1')
  const { path, secret } = await makeSecret(id)
  await deploy(id)
  const from = async (remoteAddress: string, token: string) =>
    (
      await server.app.inject({
        method: 'POST',
        url: path,
        remoteAddress,
        headers: { 'content-type': 'application/json', 'x-grove-token': token },
        payload: '{}',
      })
    ).statusCode
  const answers: number[] = []
  for (let count = 0; count < 700; count++)
    answers.push(await from(`198.51.${count % 6}.${count % 200}`, 'wrong'))
  expect(new Set(answers)).toEqual(new Set([401]))
  expect(await from('203.0.113.9', secret)).toBe(202)
  while (answers.at(-1) !== 429 && answers.length < 1000)
    answers.push(await from('198.51.0.9', 'wrong'))
  expect(answers.at(-1)).toBe(429)
  // While limited, even the right token is refused: nobody can try tokens faster.
  expect(await from('198.51.0.77', secret)).toBe(429)
  expect(await from('203.0.113.9', secret)).toBe(202)
})

test('a webhook refuses too deeply nested JSON', async () => {
  const { id } = await makeHandler(hook('token'), 'event.body')
  const { path, secret } = await makeSecret(id)
  await deploy(id)
  const headers = { 'x-grove-token': secret }
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  expect(await call(path, { headers, body: nested(32) })).toMatchObject({ status: 202 })
  for (const body of [nested(33), nested(30_000), '{"a":'.repeat(10_000)])
    expect(await call(path, { headers, body })).toMatchObject({
      status: 400,
      code: 'invalid_request',
    })
})

test('a schedule is due once, however often it was missed, and then at its next time', async () => {
  const trigger: HandlerTrigger = { type: 'schedule', cron: '0 6 * * *', zone: 'Europe/Berlin' }
  const { id } = await makeHandler(trigger, 'event.at')
  const { nextAt } = await deploy(id)
  const hour = new Intl.DateTimeFormat('en', {
    hour: 'numeric',
    hourCycle: 'h23',
    timeZone: 'Europe/Berlin',
  })
  expect(hour.format(new Date(nextAt ?? ''))).toBe('06')
  const missed = '2026-01-05T05:00:00.000000Z'
  await sql`update maple.cloud_handler set next_at = ${missed} where id = ${id}`.execute(db)
  const run = await runThat(id, { state: 'succeeded', source: 'schedule' })
  expect(Date.parse(String((await open(id, run.id)).result))).toBe(Date.parse(missed))
  expect(await runsOf(id)).toHaveLength(1)
  expect((await ask<OpenCloudHandler>('GET', `/${id}`)).body.nextAt).toBe(nextAt)
  const refusals = [
    { ...trigger, cron: '0 6 * *  *x' },
    { ...trigger, cron: '* * * * * *' },
    { ...trigger, cron: '0 0 30 2 *' },
    { ...trigger, zone: 'Europe/Nowhere' },
  ]
  for (const wrong of refusals)
    expect(await ask('PUT', `/${id}`, { trigger: wrong })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    })
})

test('the schedules of a suspended service provider wait until it is active again @long', async () => {
  const trigger: HandlerTrigger = { type: 'schedule', cron: '0 6 * * *', zone: 'Europe/Berlin' }
  const paused = await makeHandler(trigger, '1')
  const active = await makeHandler(trigger, '1')
  const name = `s-${randomUUID()}`
  await sql`insert into maple.service (id, name, name_key, state)
    values (${name}, ${name}, ${name}, 'suspended')`.execute(db)
  for (const { id } of [paused, active]) await deploy(id)
  await sql`update maple.cloud_handler set service_id = ${name} where id = ${paused.id}`.execute(db)
  await sql`update maple.cloud_handler set next_at = now() - interval '1 hour'
    where id in (${paused.id}, ${active.id})`.execute(db)
  await runThat(active.id, { state: 'succeeded', source: 'schedule' })
  expect(await runsOf(paused.id)).toEqual([])
  await sql`update maple.service set state = 'active' where id = ${name}`.execute(db)
  await runThat(paused.id, { state: 'succeeded', source: 'schedule' })
  expect(await runsOf(paused.id)).toHaveLength(1)
})

test('a draft runs only in tests until it is deployed, and a version can be restored', async () => {
  const { id } = await makeHandler(hook('token'), `'one'`)
  const { path, secret } = await makeSecret(id)
  const headers = { authorization: `Bearer ${secret}` }
  expect(await ask('GET', `/${id}`)).toMatchObject({ body: { state: 'draft', deployed: null } })
  expect(await deploy(id)).toMatchObject({
    state: 'active',
    isChanged: false,
    deployed: { version: 1 },
  })
  const changed = await ask<OpenCloudHandler>('PUT', `/${id}`, { code: `'two'` })
  expect(changed.body).toMatchObject({ isChanged: true, deployed: { version: 1 } })
  const { id: pastId } = await call(path, { headers })
  const past = await runThat(id, { state: 'succeeded', version: 1 })
  expect(past.id).toBe(pastId)
  expect((await open(id, past.id)).result).toBe('one')
  const tested = await ask<HandlerRun>('POST', `/${id}/test`, { runId: past.id })
  expect(tested).toMatchObject({ status: 201, body: { source: 'test', type: 'webhook' } })
  await runThat(id, { id: tested.body.id, state: 'succeeded', version: null })
  expect(await open(id, tested.body.id)).toMatchObject({
    result: 'two',
    event: { body: { a: 1 } },
  })
  await deploy(id)
  const back = await deploy(id, { version: 1 })
  expect(back).toMatchObject({ code: `'two'`, isChanged: true, deployed: { version: 3 } })
  expect(await ask('GET', `/${id}/version`)).toMatchObject({
    body: {
      items: [
        { version: 3, of: 1, isDeployed: true },
        { version: 2, of: null, isDeployed: false },
        { version: 1, of: null, isDeployed: false },
      ],
    },
  })
  expect(await ask('GET', `/${id}/version/3`)).toMatchObject({ body: { code: `'one'` } })
  const { id: nextId = '' } = await call(path, { headers })
  await runThat(id, { id: nextId, state: 'succeeded', version: 3 })
  expect((await open(id, nextId)).result).toBe('one')
  const stale = await ask('POST', `/${id}/deploy`, {}, { ...admin, 'if-match': '1' })
  expect(stale).toMatchObject({ status: 409, body: { code: 'edit_conflict' } })
  const { rows } = await sql<{ action: string }>`
    select action from maple.event where subject = ${id} order by id`.execute(db)
  expect(rows.map(({ action }) => action)).toEqual([
    'cloud_handler.create',
    'cloud_handler.set_secret',
    'cloud_handler.deploy',
    'cloud_handler.update',
    'cloud_handler.test',
    'cloud_handler.deploy',
    'cloud_handler.roll_back',
  ])
})

test('a delivery of an ended process runs again, and one of a disabled handler waits', async () => {
  const { id } = await makeHandler(hook('token'), 'event.attempt')
  const { path, secret } = await makeSecret(id)
  await deploy(id)
  const disabled = await ask('PUT', `/${id}`, { isDisabled: true })
  expect(disabled.body).toMatchObject({ state: 'disabled' })
  const lost = randomUUID()
  await sql`
    insert into maple.cloud_handler_run
      (id, handler_id, source, type, event, state, attempts, most_attempts, lease_until)
    values (${lost}, ${id}, 'webhook', 'webhook', '{}', 'running', 1, 8, now())`.execute(db)
  await runThat(id, { state: 'queued', attempts: 1 })
  // Others ran meanwhile, so it was checked.
  const other = await makeHandler(hook('token'), '1')
  await ask('POST', `/${other.id}/test`, {})
  await runThat(other.id, { state: 'succeeded' })
  expect(await runsOf(id)).toMatchObject([{ id: lost, state: 'queued', attempts: 1 }])
  await ask('PUT', `/${id}`, { isDisabled: false })
  await runThat(id, { state: 'succeeded', attempts: 2 })
  expect((await open(id, lost)).result).toBe(2)
  expect(await call(path, { headers: { authorization: `Bearer ${secret}` } })).toMatchObject({
    status: 202,
  })
})

test('an endless program is stopped, and a failing one says where it threw', async () => {
  const limits = { milliseconds: 300, calls: 0, kilobytes: 1, attempts: 1 }
  const { id } = await makeHandler(hook('token'), 'for (;;) {}', { limits })
  await ask('POST', `/${id}/test`, {})
  const { error } = await runThat(id, { state: 'dead' })
  expect(error?.name).toMatch(/^(fuel|deadline)$/)
  await ask('PUT', `/${id}`, { code: 'const a = 1\n\n  a.b.c()' })
  await ask('POST', `/${id}/test`, { event: { type: 'mine', at: 'now' } })
  await runThat(id, { state: 'dead', error: expect.objectContaining({ line: 3 }) as never })
})

test('a watcher gets the lines of a run and its end', async () => {
  const { id } = await makeHandler(hook('token'), `log('one'); log('two', { a: 1 }); 3`)
  const tested = await ask<HandlerRun>('POST', `/${id}/test`, {})
  const { text } = await ask('GET', `/${id}/run/${tested.body.id}/stream`)
  const events = text.split('\n\n').flatMap((part) => /event: (\w+)/.exec(part)?.[1] ?? [])
  expect(events.filter((name) => name === 'line')).toHaveLength(2)
  expect(events.at(-1)).toBe('end')
  expect(text).toContain('two {\\"a\\":1}')
  const behind = await ask('GET', `/${id}/run/${tested.body.id}/stream`, undefined, {
    ...admin,
    'last-event-id': '1',
  })
  expect(behind.text).not.toContain('"one"')
  expect(behind.text).toContain('id: 2')
})

test('a watcher of a handler gets its runs, and each again when it changes', async () => {
  const { id } = await makeHandler(hook('token'), `throw new Error('no')`)
  const first = (await ask<HandlerRun>('POST', `/${id}/test`, {})).body.id
  await runThat(id, { state: 'dead' })
  const gone = new AbortController()
  const origin = { requestId: '', ip: '', userAgent: '' }
  const stream = await streamRuns(
    await maple.open(server.platform),
    { id: randomUUID(), roles: ['ADMIN'], sessionId: undefined, origin },
    { id, until: Infinity, signal: gone.signal },
  )
  const seen: HandlerRun[] = []
  let second = ''
  for await (const chunk of stream) {
    for (const [, data = ''] of String(chunk).matchAll(/^data: (.+)$/gm))
      seen.push(JSON.parse(data) as HandlerRun)
    if (seen.length === 1) second = (await ask<HandlerRun>('POST', `/${id}/test`, {})).body.id
    if (seen.some((run) => run.id === second && run.state === 'dead')) break
  }
  gone.abort()
  // The earlier one arrived once: it did not change.
  expect(seen.filter((run) => run.id === first)).toMatchObject([{ id: first, state: 'dead' }])
})

test('the list searches, filters and pages', async () => {
  const names = ['Alpha', 'Alpine', 'Beta'].map((name) => `${name} ${randomUUID()}`)
  for (const name of names) await makeHandler(hook('token'), '1', { name })
  const list = async (query: string) =>
    (await ask<{ items: OpenCloudHandler[]; next: string | null }>('GET', `?${query}`)).body
  const found = await list('q=alp&sort=name&order=asc&limit=1')
  expect(found.items.map(({ name }) => name)).toEqual([names[0]])
  const next = await list(`q=alp&sort=name&order=asc&limit=1&cursor=${found.next}`)
  expect(next.items.map(({ name }) => name)).toEqual([names[1]])
  expect((await list('state=draft')).items.every(({ state }) => state === 'draft')).toBe(true)
})

test('people of another service provider find none of it', async () => {
  const { id } = await makeHandler(hook('token'), '1')
  const tested = await ask<HandlerRun>('POST', `/${id}/test`, {})
  await sql`
    insert into maple.service (id, name, name_key) values ('other', 'other', 'other')`.execute(db)
  const userId = randomUUID()
  await ask('POST', '/api/maple/account', { id: userId, roles: ['developer'], serviceId: 'other' })
  const stranger = await server.bearer(['DEVELOPER'], userId)
  const as = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object) =>
    ask(method, path, payload, stranger)
  const run = `/${id}/run/${tested.body.id}`
  const answers = await Promise.all([
    as('GET', `/${id}`),
    as('PUT', `/${id}`, { name: 'Mine' }),
    as('DELETE', `/${id}`),
    as('GET', `/${id}/version`),
    as('GET', `/${id}/version/1`),
    as('POST', `/${id}/deploy`, {}),
    as('GET', `/${id}/secret`),
    as('PUT', `/${id}/secret`, { name: 'a', value: 'b' }),
    as('DELETE', `/${id}/secret?name=a`),
    as('POST', `/${id}/hookSecret`),
    as('POST', `/${id}/test`, {}),
    as('GET', `/${id}/run`),
    as('GET', run),
    as('GET', `${run}/stream`),
    as('GET', `/${id}/stream`),
    as('POST', `/${id}/resend`, {}),
  ])
  expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 404))
  expect(await as('GET', '')).toMatchObject({ body: { items: [] } })
})
