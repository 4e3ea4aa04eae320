import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls } from '@grove/contract/calls'
import type { Call } from '@grove/contract/call'
import { validatorFor } from './core/http/validator.ts'
import { exampleOf, requiredQueryOf } from './core/testing/example.ts'
import { startTestServer, type TestServer } from './core/testing/test-platform.ts'
import { auth } from './services/auth/index.ts'
import { createAccount } from './services/auth/account/parts/create-account.ts'
import { services } from './services.ts'

const entries = Object.entries(calls as Record<string, Call>)

/** For every call with a body, one that the contract accepts; each field is then corrupted in turn. */
const bodies = Object.fromEntries(
  entries.flatMap(([key, { body }]) =>
    body ? [[key, exampleOf(body) as Record<string, unknown>]] : [],
  ),
)

/** Fields with values that people, programs and devices agree on. */
const anything = new Set([
  'POST /api/maple/device/command data',
  'PUT /api/maple/device/twin desired',
  'POST /api/maple/cloud_handlers/{id}/test event',
  'POST /api/maple/scripts/{id}/run input',
])

/** Values that have broken services elsewhere. */
const hostile: readonly (readonly [name: string, value: unknown])[] = [
  ['a 10,000-character text', 'x'.repeat(10_000)],
  ['a null character', 'a\0b'],
  ['half a surrogate pair', 'a\ud800b'],
  ['SQL', `'; drop table maple.device; --`],
  ['HTML', '<img src=x onerror=alert(1)>'],
  ['emoji', '👩‍👩‍👧‍👦 🏳️‍🌈'],
  ['right-to-left text', 'שלום‮ مرحبا'],
  ['an empty text', ''],
  ['a number', 1e308],
  ['null', null],
  ['an array', [[[]]]],
  ['an object', { __proto__: null, constructor: { prototype: {} } }],
]

let server: TestServer
let admin: { authorization: string }
beforeAll(async () => {
  server = await startTestServer(services.filter(({ name }) => name !== 'console'))
  // Not the password of the contract's examples, so that no call changes it.
  const account = { email: 'admin@grove.test', password: 'Meadow!2847' }
  const roles = ['ADMIN', 'DEVELOPER'] as const
  await createAccount(await auth.open(server.platform), {
    ...account,
    roles,
    name: 'Admin',
    locale: 'en-US',
  })
  const answer = await server.app.inject({
    method: 'POST',
    url: '/api/token/password',
    payload: { ...account, provider: 'grove' },
  })
  admin = { authorization: `Bearer ${answer.json().token.accessToken}` }
})
afterAll(() => server.close())

async function send(
  key: string,
  payload: unknown,
  headers: Record<string, string> = {},
  query?: string,
) {
  const [method = '', path = ''] = key.split(' ')
  const call: Call = calls[key as keyof typeof calls]
  const response = await server.app.inject({
    method: method as 'POST',
    url: addressOf(path) + (query ?? requiredQueryOf(call.query)),
    headers: {
      ...(payload !== undefined && { 'content-type': 'application/json' }),
      ...(call.access !== 'public' && admin),
      ...headers,
    },
    ...(payload !== undefined && {
      payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    }),
  })
  expect([key, response.statusCode, response.statusCode < 500]).toEqual([
    key,
    response.statusCode,
    true,
  ])
  if (response.statusCode >= 400) {
    expect(response.headers['content-type']).toMatch(/^application\/problem\+json/)
    expect(response.json()).toMatchObject({ status: response.statusCode, code: expect.any(String) })
  }
  return response
}

const id = randomUUID()
const addressOf = (path: string) => path.replace('{broker}', 'sample').replaceAll(/\{\w+\}/g, id)

const formKeys = entries.filter(([, call]) => call.isFormEncoded).map(([key]) => key)
const bodyKeys = entries.filter(([, call]) => call.body && !call.isFormEncoded).map(([key]) => key)

test('the contract accepts the bodies that are corrupted here', () => {
  expect(bodyKeys.length).toBeGreaterThan(20)
  for (const [key, call] of entries) {
    if (!call.body) continue
    const validate = validatorFor(call.body, 'body')
    expect([key, validate(bodies[key]), validate.errors]).toEqual([key, true, null])
  }
})

describe.each(formKeys)('%s', (key) => {
  const form = Object.entries(bodies[key] ?? {}).map(([name, value]) => [name, String(value)])
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const post = (fields: string[][]) => send(key, new URLSearchParams(fields).toString(), type)

  test('accepts only a form', async () => {
    expect((await send(key, bodies[key])).statusCode).toBe(415)
    expect((await send(key, '', type)).statusCode).toBe(400)
    expect((await send(key, '%%%=%&&;=', type)).statusCode).toBe(400)
    expect((await send(key, 'x'.repeat(300_000), type)).statusCode).toBe(413)
  })

  test('names an unknown field, and a duplicate one', async () => {
    expect((await post([...form, ['surprise', '1']])).json().errors[0].path).toBe('surprise')
    const code = form.find(([name]) => name === 'Code') ?? []
    for (const again of [['Code', 'other'], code])
      expect((await post([...form, again])).json().errors[0].path).toBe('Code')
  })

  test.each(hostile)('refuses or survives %s in every field', async (_name, value) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    for (const [field] of form)
      await post(form.map(([name = '', old = '']) => [name, name === field ? text : old]))
  })
})

test('a call that takes JSON refuses forms, which another site could post', async () => {
  const form = 'application/x-www-form-urlencoded'
  // A browser sends the type as the page wrote it, without a preflight, whatever its case.
  for (const type of [form, form.toUpperCase(), `${form};charset=utf-8`])
    for (const key of bodyKeys)
      expect((await send(key, 'a=b', { 'content-type': type })).statusCode).toBe(415)
})

describe.each(bodyKeys)('%s', (key) => {
  const body = bodies[key] ?? {}

  test('refuses invalid JSON', async () => {
    for (const text of ['{"', '', 'null-ish', '{"a":1}}']) {
      const response = await send(key, text)
      expect([text, response.statusCode, response.json().code]).toEqual([
        text,
        400,
        'malformed_json',
      ])
    }
  })

  test('refuses too deeply nested JSON, in one sentence', async () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    const spoilt = (field: string, levels: number) =>
      JSON.stringify({ ...body, [field]: '?' }).replace(`${JSON.stringify(field)}:"?"`, (match) =>
        match.replace('"?"', nested(levels)),
      )
    // Deep enough to overflow a stack, where the body may be that large.
    const deepest = calls[key as keyof typeof calls].access === 'public' ? 1000 : 30_000
    for (const levels of [100, deepest])
      for (const text of [nested(levels), ...Object.keys(body).map((it) => spoilt(it, levels))]) {
        const response = await send(key, text)
        expect([response.statusCode, response.json()]).toMatchObject([
          400,
          {
            code: 'invalid_request',
            detail: expect.stringMatching(/^The body is nested too deeply: [^.]+\.$/),
          },
        ])
      }
  })

  test('refuses JSON that is not an object', async () => {
    for (const value of ['[]', 'null', '1', '"x"'])
      expect((await send(key, value)).statusCode).toBe(400)
  })

  test('refuses another content type and a body too large', async () => {
    expect((await send(key, 'a=b', { 'content-type': 'text/plain' })).statusCode).toBe(415)
    expect((await send(key, 'a=b', { 'content-type': 'application/xml' })).statusCode).toBe(415)
    expect((await send(key, { ...body, name: 'x'.repeat(300_000) })).statusCode).toBe(413)
  })

  test('names a field it does not know, and one of the wrong type', async () => {
    const unknown = await send(key, { ...body, surprise: 1 })
    expect(unknown.statusCode).toBe(400)
    expect(unknown.json().errors).toContainEqual(expect.objectContaining({ path: 'surprise' }))
    for (const field of Object.keys(body)) {
      if (anything.has(`${key} ${field}`)) continue
      const wrong = await send(key, { ...body, [field]: { not: 'this' } })
      expect([field, wrong.statusCode]).toEqual([field, 400])
      expect(wrong.json().errors[0].path).toMatch(new RegExp(`^${field}`))
    }
  })

  test.each(hostile)('stores or refuses %s in every field', async (_name, value) => {
    for (const field of Object.keys(body)) await send(key, { ...body, [field]: value })
    if ('translations' in body)
      await send(key, { ...body, translations: [{ localeCode: 'en-US', title: value }] })
  })
})

test('hostile queries and headers are refused, and never cause an error of ours @long', async () => {
  const brackets = '['.repeat(3000) + ']'.repeat(3000)
  const deep = [brackets, Buffer.from(brackets).toString('base64url'), '{"a":'.repeat(1000)]
  const values = [
    '%00',
    '%F0%9F%98%80',
    '%27%3B--',
    '%FF',
    '%',
    'x'.repeat(3000),
    '-1',
    '1e9',
    '',
    ...deep,
  ]
  for (const [key, call] of entries) {
    const [method = '', path = ''] = key.split(' ')
    if (method !== 'GET' || !call.query) continue
    const names = Object.keys((call.query as unknown as { properties: object }).properties)
    for (const name of [...names, 'surprise'])
      for (const value of values) {
        const required = requiredQueryOf(call.query)
        const base = required ? `${required}&` : '?'
        const response = await server.app.inject({
          url: `${addressOf(path)}${base}${name}=${value}`,
          headers: call.access === 'public' ? {} : admin,
        })
        expect([key, name, value, response.statusCode < 500]).toEqual([key, name, value, true])
      }
  }
  const badHeaders: Record<string, string>[] = [
    { 'api-version': '99' },
    { 'if-match': 'abc' },
    { authorization: 'Bearer x.y.z' },
    { authorization: `Bearer ${'a'.repeat(8000)}.b.c` },
  ]
  for (const headers of badHeaders)
    expect((await send('PUT /api/maple/device', { name: 'x' }, headers)).statusCode).toBeLessThan(
      500,
    )
})

/** The paths of the names in a body, as a refusal gives them. */
function namesIn(schema: object, path: readonly string[] = []): string[] {
  const {
    format,
    properties = {},
    items,
    anyOf = [],
  } = schema as {
    format?: string
    properties?: Record<string, object>
    items?: object
    anyOf?: object[]
  }
  return [
    ...(format === 'name' ? [path.join('.')] : []),
    ...Object.entries(properties).flatMap(([name, field]) => namesIn(field, [...path, name])),
    ...(items ? namesIn(items, [...path, '0']) : []),
    ...anyOf.flatMap((option) => namesIn(option, path)),
  ]
}

/** A copy of a body with another text at a path. */
function withText(body: unknown, [step, ...rest]: readonly string[], text: string): unknown {
  if (step === undefined) return text
  if (Array.isArray(body))
    return body.map((item, index) => (String(index) === step ? withText(item, rest, text) : item))
  return { ...(body as object), [step]: withText(Object(body)[step], rest, text) }
}

const names = bodyKeys.flatMap((key) =>
  namesIn((calls as Record<string, Call>)[key]?.body ?? {}).map((path) => [key, path] as const),
)

test('everything that people can name has a readable name', () => {
  expect(names).toEqual([
    ['POST /api/signup', 'name'],
    ['POST /api/user/acceptInvitation', 'name'],
    ['PUT /api/user/profile', 'name'],
    ['POST /api/provider', 'name'],
    ['POST /api/provider/request', 'name'],
    ['POST /api/provider/request', 'purpose'],
    ['PUT /api/provider/request', 'reason'],
    ['PUT /api/admin/provider/{id}', 'translations.0.name'],
    ['POST /api/cedar/provider', 'name'],
    ['PUT /api/cedar/provider', 'name'],
    ['PUT /api/cedar/provider', 'fares.0.names.0.name'],
    ['POST /api/provider/{id}/key', 'name'],
    ['POST /api/developer/product', 'translations.0.title'],
    ['PUT /api/developer/product/{id}', 'translations.0.title'],
    ['POST /api/developer/productVersion', 'translations.0.title'],
    ['PUT /api/developer/productVersion/{id}', 'translations.0.title'],
    ['POST /api/developer/publishKey', 'name'],
    ['POST /api/notification', 'translations.0.title'],
    ['POST /api/notification/test', 'translations.0.title'],
    ['PUT /api/notification/device/{id}', 'name'],
    ['POST /api/maple/device', 'name'],
    ['POST /api/maple/device', 'tags.0'],
    ['PUT /api/maple/device', 'name'],
    ['PUT /api/maple/device', 'tags.0'],
    ['POST /api/maple/device/claim_code', 'name'],
    ['POST /api/maple/device/certificate_authority', 'name'],
    ['PUT /api/maple/device/certificate_authority/{id}', 'name'],
    ['POST /api/maple/cloud_handlers', 'name'],
    ['PUT /api/maple/cloud_handlers/{id}', 'name'],
    ['POST /api/maple/device_handlers', 'name'],
    ['POST /api/maple/device_handlers', 'tests.0.name'],
    ['PUT /api/maple/device_handlers/{id}', 'name'],
    ['PUT /api/maple/device_handlers/{id}', 'tests.0.name'],
    ['POST /api/maple/device/bulk', 'tag'],
    ['POST /api/maple/device/view', 'name'],
    ['PUT /api/maple/device/view', 'name'],
    ['POST /api/maple/group', 'name'],
    ['PUT /api/maple/group', 'name'],
    ['POST /api/maple/se/profiles', 'name'],
    ['PUT /api/maple/se/profiles/name', 'name'],
    ['POST /api/maple/scripts', 'name'],
    ['PUT /api/maple/scripts/{id}', 'name'],
    ['POST /api/maple/software_cards', 'name'],
    ['PUT /api/maple/software_cards', 'name'],
    ['POST /api/maple/software_cards/copy', 'name'],
    ['POST /api/maple/software_cards/snapshots', 'name'],
    ['POST /api/maple/se/masters', 'name'],
    ['POST /api/maple/se/scp11', 'name'],
    ['POST /api/maple/service', 'name'],
    ['PUT /api/maple/service', 'name'],
    ['POST /api/maple/reader', 'name'],
    ['POST /api/maple/templates', 'name'],
    ['PUT /api/maple/templates', 'name'],
    ['POST /api/maple/products', 'name'],
    ['POST /api/maple/products', 'model'],
    ['POST /api/maple/products', 'revisions.0'],
    ['PUT /api/maple/products/{id}', 'name'],
    ['PUT /api/maple/products/{id}', 'model'],
    ['PUT /api/maple/products/{id}', 'revisions.0'],
    ['PUT /api/maple/binary_images/{id}', 'name'],
    ['POST /api/maple/binary_images/keys', 'name'],
    ['POST /api/maple/rollouts', 'name'],
    ['PUT /api/maple/rollouts', 'name'],
  ])
})

test.each(names)('%s refuses at %s a name that people cannot read', async (key, path) => {
  for (const text of ['\u202egnp.exe', 'pay\u200bment', '\u200b', 'bell\u0007']) {
    const response = await send(key, withText(bodies[key], path.split('.'), text))
    expect([text, response.statusCode, response.json()]).toMatchObject([
      text,
      400,
      {
        code: 'invalid_request',
        detail: expect.stringContaining('invisible characters'),
        errors: [{ path, code: 'format', params: { format: 'name' } }],
      },
    ])
  }
})
