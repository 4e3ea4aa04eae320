import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { calls } from '@grove/contract/calls'
import type { Call } from '@grove/contract/call'
import { exampleOf } from './core/testing/example.ts'
import { startTestServer, type TestServer } from './core/testing/test-platform.ts'
import { maple } from './services/maple/index.ts'
import { planWith } from './services/maple/rollout/testing/rollout-client.ts'

/** What an account limited to one service provider reaches by naming another, none, or an unknown one. */

let server: TestServer
let admin: Headers
type Headers = { authorization: string }
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

const own = 'acme'
const foreign = 'umbra'
/** Objects of the other service provider, and of none. */
const outside = ['umbra-watch', 'platform-watch', randomUUID(), randomUUID()]
/** What the scoped accounts change. */
const [ownDevice, ownAccount] = ['acme-watch', randomUUID()]
/** A program, a draft of a rollout and a group of the account's own service provider. */
let program: object
let draft: string
let group: string
const plan = planWith()

beforeAll(async () => {
  server = await startTestServer([maple])
  admin = await server.bearer(['ADMIN'])
  for (const id of [own, foreign]) await send('POST', '/api/maple/service', admin, { id, name: id })
  const objects = [
    [ownDevice, ownAccount, own],
    [outside[0], outside[2], foreign],
    [outside[1], outside[3], null],
  ] as const
  for (const [device, account, serviceId] of objects) {
    const made = { id: device, name: `The ${device}`, type: 'iot', serviceId }
    expect((await send('POST', '/api/maple/device', admin, made)).status).toBe(201)
    const user = { id: account, roles: ['viewer'], serviceId }
    expect((await send('POST', '/api/maple/account', admin, user)).status).toBe(201)
  }
  const headers = await holder('admin')
  const make = async (path: string, body: object) => {
    const { status, text } = await send('POST', `/api/maple/${path}`, headers, body)
    expect([status < 300, text]).toEqual([true, text])
    return JSON.parse(text) as { id: string }
  }
  const script = await make('scripts', { name: 'Look', draft: 'log(1)' })
  await make(`scripts/${script.id}/publish`, {})
  program = { kind: 'script', id: script.id, input: {} }
  const targets = { devices: [ownDevice] }
  group = (await make('group', { name: 'Own', rule: { tag: 'north' } })).id
  draft = (await make('rollouts', { name: 'Look', program, targets, plan })).id
})
afterAll(() => server.close())

/** An account of its own service provider. */
async function holder(role: string): Promise<Headers> {
  const id = randomUUID()
  await send('POST', '/api/maple/account', admin, { id, roles: [role], serviceId: own })
  return server.bearer(['DEVELOPER'], id)
}

async function send(method: Method, url: string, headers: Headers, payload?: object) {
  const answer = await server.app.inject({
    method,
    url,
    headers: { ...headers },
    ...(payload && { payload }),
  })
  return { status: answer.statusCode, text: answer.body }
}

interface Schema {
  type?: string
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
}
type Part = 'params' | 'query' | 'body'

const partsOf = (schema: Schema): Schema[] => [schema, ...(schema.anyOf ?? [])]

/** The paths of every `serviceId` in a schema. */
const pathsIn = (schema: Schema): string[][] =>
  partsOf(schema).flatMap(({ properties = {} }) =>
    Object.entries(properties).flatMap(([name, field]) => [
      ...(name === 'serviceId' ? [[name]] : []),
      ...pathsIn(field).map((path) => [name, ...path]),
    ]),
  )

interface Place {
  key: string
  /** The part and the path, as text. */
  at: string
  call: Call
  part: Part
  path: string[]
}

/** Every place where a Maple call open to scoped accounts takes a service provider. */
const places: Place[] = Object.entries<Call>(calls).flatMap(([key, call]) =>
  typeof call.access === 'object' && call.access.isScoped
    ? (['params', 'query', 'body'] as const).flatMap((part) =>
        pathsIn((call[part] ?? {}) as Schema).map((path) => ({
          key,
          call,
          part,
          path,
          at: [part, ...path].join('.'),
        })),
      )
    : [],
)

/** The fields that an object requires, and those on the way to a path. */
function leastOf(schema: Schema, path: readonly string[]): Record<string, unknown> {
  const { properties = {}, required = [] } =
    partsOf(schema).find((each) => each.properties && (path[0] ?? '') in each.properties) ?? schema
  const [next = '', ...rest] = path
  const names = new Set([...required, ...(rest.length > 0 ? [next] : [])])
  return Object.fromEntries(
    [...names].map((name) => {
      const field = properties[name] ?? {}
      return [name, name === next && rest.length > 0 ? leastOf(field, rest) : exampleOf(field)]
    }),
  )
}

/** Undefined leaves it out. */
function put(at: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown) {
  if (rest.length > 0) return put(at[name] as Record<string, unknown>, rest, value)
  if (value === undefined) delete at[name]
  else at[name] = value
}

/** Makes an example succeed if its service provider is allowed. */
const details: Record<string, (path: readonly string[]) => object> = {
  'POST /api/maple/group': () => ({ name: `Group ${randomUUID()}` }),
  'POST /api/maple/account': () => ({ id: randomUUID(), roles: ['viewer'] }),
  'POST /api/maple/device/bulk': ([first]) =>
    first === 'filter' ? { action: 'accept' } : { action: 'setService', filter: {} },
  'POST /api/maple/rollouts': () => ({ program, plan }),
  'PUT /api/maple/rollouts': () => ({ program, plan }),
}

function idFor(address: string): string {
  if (address.startsWith('/api/maple/account')) return ownAccount
  if (address.startsWith('/api/maple/group')) return group
  return address.startsWith('/api/maple/rollouts') ? draft : ownDevice
}

/** An attempt to name a service provider somewhere, on objects of the caller. */
function attemptAt({ key, call, part, path }: Place, value: unknown) {
  const [method, address] = key.split(' ') as [Method, string]
  const given = { query: {} as Record<string, unknown>, body: {} as Record<string, unknown> }
  const query: Schema = call.query ?? {}
  given.query = leastOf(query, part === 'query' ? path : [])
  if (query.required?.includes('id')) given.query['id'] = idFor(address)
  if (call.body) given.body = leastOf(call.body, part === 'body' ? path : [])
  if (part !== 'params') put(given[part], path, value)
  const search = new URLSearchParams(
    Object.entries(given.query).map(([name, each]) => [name, String(each)]),
  )
  const url = address.replaceAll(/\{(\w+)\}/g, (_, name) =>
    part === 'params' && path[0] === name ? String(value) : randomUUID(),
  )
  const body = { ...given.body, ...details[key]?.(path) }
  return { method, url: `${url}?${search}`, body: call.body ? body : undefined }
}

/** Every row outside the account's own service provider, in every table whose rows have an owner. */
async function world(): Promise<Record<string, string>> {
  const { db } = server.platform
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = 'maple' and column_name = 'service_id'
      -- What these say of a change is nobody's object.
      and table_name not in ('event', 'device_notice')
    order by 1`.execute(db)
  expect(tables.length).toBeGreaterThan(20)
  const { rows } = await sql<{ name: string; text: string }>`${sql.join(
    tables.map(
      ({ name }) => sql`
        select ${sql.lit(name)} as name, coalesce(string_agg(t::text, ' ' order by t::text), '') as text
        from ${sql.table(`maple.${name}`)} as t where service_id is distinct from ${own}`,
    ),
    sql` union all `,
  )}`.execute(db)
  return Object.fromEntries(rows.map(({ name, text }) => [name, text]))
}

/** What a response reveals, including the files whose URLs it contains. */
async function learnedFrom(text: string): Promise<string> {
  const addresses = [...text.matchAll(/"(\/api\/[^"]+\?ticket=[^"]+)"/g)].map(
    ([, url]) => url ?? '',
  )
  const files = await Promise.all(
    addresses.map(async (url) => (await server.app.inject({ url })).body),
  )
  return [text, ...files].join('\n')
}

/** Whatever a call started is finished. */
const jobsDone = () =>
  vi.waitFor(async () => {
    const { rows } = await sql`
      select name from maple.job where state in ('queued', 'running')`.execute(server.platform.db)
    expect(rows).toEqual([])
  }, 20_000)

test('every call that accepts a service provider is found', () => {
  const found = places.map(({ key, at }) => `${key} ${at}`)
  expect(found).toContain('POST /api/maple/account body.serviceId')
  expect(found).toContain('GET /api/maple/device query.serviceId')
  expect(found).toContain('POST /api/maple/rollouts body.targets.filter.serviceId')
  expect(found.length).toBeGreaterThan(10)
})

describe.each(['admin', 'provider_admin'])('an %s of a service provider', (role) => {
  let headers: Headers
  beforeAll(async () => {
    headers = await holder(role)
  })

  test.each(places)('$key with $at reaches nothing outside of it', async (place) => {
    const before = await world()
    for (const value of [null, undefined, foreign, 'nowhere', own]) {
      const { method, url, body } = attemptAt(place, value)
      const answer = await send(method, url, headers, body)
      await jobsDone()
      const learned = await learnedFrom(answer.text)
      expect([value, outside.filter((mark) => learned.includes(mark))]).toEqual([value, []])
      expect([value, await world()]).toEqual([value, before])
      // The provider's own is carried out: a refusal for another reason would prove nothing.
      if (value === own) expect(answer).toMatchObject({ status: expect.toBeOneOf([200, 201]) })
    }
  })
})
