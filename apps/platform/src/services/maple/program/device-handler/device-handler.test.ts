import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type {
  DeviceHandlerInput,
  DeviceHandlerTest,
} from '@grove/contract/maple/program/device-handler'
import {
  maxHandlerTestsLength,
  maxDeviceHandlers,
} from '@grove/contract/maple/program/device-handler.rules'
import { gatewayWorld, type GatewayWorld } from '../../connect/gateway/testing/gateway-world.ts'
import { handlerClient } from './testing/handler-client.ts'

let world: GatewayWorld
let handlers: ReturnType<typeof handlerClient>
beforeAll(async () => {
  world = await gatewayWorld()
  handlers = handlerClient(world)
})
afterEach(() => world.disconnectAll())
afterAll(() => world.close())

const path = 'device_handlers'
const level = 'const decode = ({ bytes }) => ({ telemetry: { level: bytes[0] } })'
const decode = (hex: string): DeviceHandlerInput => ({ call: 'decode', hex })
const golden = (name: string, hex: string, value: unknown): DeviceHandlerTest => ({
  name,
  input: decode(hex),
  expected: { value },
})

test('a draft is written, published, changed and rolled back, with its events @long', async () => {
  const tests = [golden('Full', 'FF', { telemetry: { level: 255 } })]
  const made = await handlers.create({ code: level, tests })
  expect(made).toMatchObject({
    state: 'draft',
    version: null,
    isChanged: true,
    tests,
    products: [],
    rights: { change: null, run: null },
  })
  const one = `${path}/${made.id}`
  expect((await world.ask('POST', `${one}/publish`, { note: 'First' })).body).toMatchObject({
    number: 1,
    note: 'First',
    code: level,
    tests,
    restoredFrom: null,
  })
  expect((await world.ask('GET', one)).body).toMatchObject({
    state: 'active',
    version: 1,
    isChanged: false,
  })
  // An identical value is no change.
  const before = (await world.ask('GET', one)).body
  expect((await world.ask('PUT', one, { code: level, tests })).body).toEqual(before)
  await world.ask('PUT', one, { code: `${level}\n// 2` })
  expect((await world.ask('GET', one)).body).toMatchObject({ isChanged: true, version: 1 })
  await world.ask('POST', `${one}/publish`, {})
  const back = await world.ask('POST', `${one}/rollback`, { number: 1 })
  expect(back.body).toMatchObject({ number: 3, code: level, tests, restoredFrom: 1 })
  const { items } = (await world.ask('GET', `${one}/version`)).body
  expect(items.map(({ number }: { number: number }) => number)).toEqual([3, 2, 1])
  expect(items[0].sha256).toBe(items[2].sha256)
  expect((await world.ask('GET', `${one}/version/2`)).body.code).toBe(`${level}\n// 2`)
  expect((await world.ask('GET', `${one}/version/9`)).status).toBe(404)
  const { rows } = await sql<{ action: string }>`
    select action from maple.event where subject = ${made.id} order by id`.execute(world.db)
  expect(rows.map(({ action }) => action)).toEqual([
    'device_handler.create',
    'device_handler.publish',
    'device_handler.update',
    'device_handler.publish',
    'device_handler.rollback',
  ])
  expect((await world.ask('DELETE', one)).status).toBe(204)
  expect((await world.ask('GET', one)).status).toBe(404)
})

test('nothing that fails its tests is published, and the failing ones are named', async () => {
  const tests = [
    golden('Right', '01', { telemetry: { level: 1 } }),
    golden('Wrong', '02', { telemetry: { level: 3 } }),
    { name: 'Empty', input: decode(''), expected: { error: 'no bytes' } },
  ]
  const { id } = await handlers.create({ code: level, tests })
  const publish = () => world.ask('POST', `${path}/${id}/publish`, {})
  expect(await publish()).toMatchObject({
    status: 400,
    body: {
      errors: [
        { path: 'tests.1', code: 'fails', params: { name: 'Wrong' } },
        { path: 'tests.2', code: 'fails', params: { name: 'Empty' } },
      ],
    },
  })
  const code = `function decode({ bytes }) {
    if (bytes.length === 0) throw new Error('There are no bytes.')
    return { telemetry: { level: bytes[0] === 2 ? 3 : bytes[0] } }
  }`
  await world.ask('PUT', `${path}/${id}`, { code })
  expect((await publish()).status).toBe(201)
  await world.ask('PUT', `${path}/${id}`, { code: 'let a = = 2' })
  expect((await publish()).body.errors).toMatchObject([
    { path: 'code', code: 'syntax', params: { line: 1 } },
  ])
  await world.ask('PUT', `${path}/${id}`, { code: ' ' })
  expect((await publish()).body.errors).toMatchObject([{ path: 'code', code: 'required' }])
})

test('code is tried on payloads and commands in their order', async () => {
  const code = `
    function decode({ bytes, hex, base64, port, topic }) {
      if (port === 9) return { error: 'Not a port of ours' }
      return { telemetry: { sum: bytes.reduce((a, b) => a + b, 0) }, reported: { hex, base64, topic } }
    }
    const encode = ({ name, data }) =>
      name === 'blink' ? { bytes: [1, data.times], port: 2 } : undefined`
  const { problem, results } = await handlers.run(code, [
    { call: 'encode', name: 'blink', data: { times: 255 } },
    { call: 'decode', hex: '0aff', port: 1, topic: 'state' },
    { call: 'encode', name: 'other', data: null },
    { call: 'decode', hex: '', port: 9 },
    { call: 'encode', name: 'blink', data: { times: 256 } },
    { call: 'encode', name: 'blink', data: null },
  ])
  expect(problem).toBeNull()
  expect(results).toMatchObject([
    { value: { hex: '01FF', port: 2 } },
    {
      value: { telemetry: { sum: 265 }, reported: { hex: '0AFF', base64: 'Cv8=', topic: 'state' } },
    },
    { value: null },
    { error: { message: 'Not a port of ours' } },
    { error: { message: expect.stringContaining('0 to 255') } },
    { error: { name: 'TypeError', line: 7 } },
  ])
  expect(await handlers.run('let a = = 2', [decode('01')])).toMatchObject({
    problem: { line: 1 },
    results: [],
  })
  expect((await handlers.run('1', [decode('01')])).results).toMatchObject([
    { error: { message: 'The program has no function decode.' } },
  ])
})

/** Each is harmful only for the payload 01. */
const hostile: [name: string, harm: string, error: object][] = [
  ['loops', 'for (;;);', { name: 'fuel' }],
  ['takes memory', 'const all = []; for (;;) all.push(new Uint8Array(1e6))', {}],
  ['searches for long', `'x'.repeat(1e6).indexOf('x'.repeat(5e5) + 'y')`, { name: 'deadline' }],
  [
    'gives a million values',
    'return { telemetry: Object.fromEntries(Array.from({ length: 1e6 }, (_, n) => [n, n])) }',
    {},
  ],
  [
    'gives many values',
    'return { telemetry: Object.fromEntries(Array.from({ length: 9e3 }, (_, n) => [n, n])) }',
    { message: expect.stringContaining('at most 32768 characters') },
  ],
  [
    'gives a deep value',
    'let deep = 1; for (let n = 0; n < 50; n++) deep = [deep]; return { telemetry: { deep } }',
    { message: expect.stringContaining('at most 14 levels') },
  ],
  [
    'plays with prototypes',
    `Object.prototype.error = 'x'; Array.prototype.map = JSON.stringify = () => { throw 1 }
     return { telemetry: JSON.parse('{"__proto__": {"a": 1}, "b": 1}'), constructor: 1 }`,
    { message: expect.stringContaining('constructor') },
  ],
  ['gives what is no object', 'return [1]', { message: 'decode returns an object.' }],
  ['gives a state that is none', 'return { reported: [1] }', {}],
  ['gives a time that is none', `return { ts: 'now' }`, {}],
  ['throws what cannot be read', 'throw new Proxy({}, { get() { throw 1 } })', {}],
]

test.each(hostile)(
  'a handler that %s fails for that payload alone @long',
  async (_name, harm, error) => {
    const code = `function decode({ bytes }) {
    if (bytes[0] === 1) { ${harm} }
    return { telemetry: { level: bytes[0] } }
  }`
    const { results } = await handlers.run(code, [decode('02'), decode('01')])
    expect(results[0]).toEqual({ value: { telemetry: { level: 2 } } })
    expect(results[1]).toMatchObject({ error: { message: expect.any(String), ...error } })
  },
)

test('service providers see and use their own handlers alone', async () => {
  const [a, b] = [await handlers.provider(), await handlers.provider()]
  const { id } = await handlers.published(level, a.as)
  const one = `${path}/${id}`
  expect((await world.ask('GET', path, undefined, b.as)).body.items).toEqual([])
  expect((await world.ask('GET', path, undefined, a.as)).body.items).toHaveLength(1)
  for (const [method, at, body] of [
    ['GET', one],
    ['PUT', one, { name: 'Mine' }],
    ['DELETE', one],
    ['POST', `${one}/publish`, {}],
    ['POST', `${one}/rollback`, { number: 1 }],
    ['GET', `${one}/version`],
    ['GET', `${one}/version/1`],
  ] as const)
    expect((await world.ask(method, at, body, b.as)).status).toBe(404)
  // Not even an administrator can give a product another service provider's handler.
  const product = await world.ask('POST', 'products', { name: 'P' }, b.as)
  const given = await world.ask('PUT', `products/${product.body.id}`, { handlerId: id })
  expect(given.body.errors).toMatchObject([{ path: 'handlerId', code: 'exists' }])
  const own = await world.ask('POST', 'products', { name: 'P', handlerId: id }, a.as)
  expect(own.body.handlerId).toBe(id)
  expect((await world.ask('GET', one, undefined, a.as)).body.products).toEqual([
    { id: own.body.id, name: 'P' },
  ])
  expect((await world.ask('DELETE', one, undefined, a.as)).body.code).toBe('device_handler_in_use')
  await world.ask('PUT', `products/${own.body.id}`, { handlerId: null }, a.as)
  expect((await world.ask('DELETE', one, undefined, a.as)).status).toBe(204)
})

test('people who may only read can neither change nor try handlers', async () => {
  const id = randomUUID()
  await sql`insert into maple.account (id, roles) values (${id}, '{auditor}')`.execute(world.db)
  const auditor = await world.server.bearer(['DEVELOPER'], id)
  const made = await handlers.create({ code: level })
  expect((await world.ask('GET', `${path}/${made.id}`, undefined, auditor)).body.rights).toEqual({
    change: 'forbidden',
    run: 'forbidden',
  })
  const refused = [
    await world.ask('POST', path, { name: 'A' }, auditor),
    await world.ask('POST', `${path}/run`, { code: level, inputs: [] }, auditor),
    await world.ask('POST', `${path}/${made.id}/publish`, {}, auditor),
  ]
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403])
})

test('names, tests and handlers have limits', async () => {
  const { serviceId, as } = await handlers.provider()
  const name = randomUUID()
  expect((await world.ask('POST', path, { name }, as)).status).toBe(201)
  expect((await world.ask('POST', path, { name: name.toUpperCase() }, as)).body.code).toBe(
    'already_exists',
  )
  const long = { name: 'x', input: decode('00'.repeat(8000)), expected: { error: '' } }
  const tests = Array.from({ length: 4 }, () => long)
  expect((await world.ask('POST', path, { name: 'Long', tests }, as)).body.errors).toMatchObject([
    { path: 'tests', params: { limit: maxHandlerTestsLength } },
  ])
  let deep: unknown = 1
  for (let n = 0; n < 20; n++) deep = [deep]
  const nested = [golden('Deep', '00', deep)]
  expect(
    (await world.ask('POST', path, { name: 'Deep', tests: nested }, as)).body.errors,
  ).toMatchObject([{ path: 'tests.0.expected.value', code: 'deepest' }])
  await sql`
    insert into maple.device_handler (service_id, name, name_key, draft_sha256)
    select ${serviceId}, 'n' || n, 'n' || n, '' from generate_series(2, ${maxDeviceHandlers}) n
  `.execute(world.db)
  expect((await world.ask('POST', path, { name: 'More' }, as)).body.code).toBe('limit_reached')
})

test('of two changes at one revision the second is refused', async () => {
  const { id } = await handlers.create({ code: level })
  const change = (code: string) =>
    world.ask('PUT', `${path}/${id}`, { code }, { ...world.headers, 'if-match': '"1"' })
  expect((await change('1')).status).toBe(200)
  expect((await change('2')).body.code).toBe('edit_conflict')
})
