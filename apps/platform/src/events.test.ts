import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Event } from '@grove/contract/core/event'
import { auth } from './services/auth/index.ts'
import { cedar } from './services/cedar/index.ts'
import { events, record } from './services/maple/fleet/context.ts'
import { maple } from './services/maple/index.ts'
import type { Actor } from './core/actor.ts'
import { orchard } from './core/jobs/testing/orchard.ts'
import { startTestServer, type TestServer } from './core/testing/test-platform.ts'
import { testDatabase } from './core/testing/test-database.ts'
import { migrationsOf } from './core/service.ts'
import { deleteOldEvents } from './core/events/event.queries.ts'

let server: TestServer
let admin: { authorization: string }
beforeAll(async () => {
  server = await startTestServer([maple])
  admin = await server.bearer(['ADMIN'])
})
afterAll(() => server.close())
beforeEach(async () => {
  await sql`delete from maple.event`.execute(server.platform.db)
})

const actor: Actor = {
  id: randomUUID(),
  roles: ['ADMIN'],
  sessionId: undefined,
  origin: { ip: '2001:db8::1', userAgent: 'Test', requestId: 'request-1' },
}
const list = async (query: string) => {
  const answer = await server.app.inject({ url: `/api/maple/event${query}`, headers: admin })
  return answer.json<{ items: Event[]; next: string | null; actions: string[] }>()
}
const subjects = async (query: string) => (await list(query)).items.map(({ subject }) => subject)

test('an event is written with the change or not at all, and says who, where, before and after', async () => {
  const { db } = server.platform
  const failing = db.transaction().execute(async (tx) => {
    await record(tx, actor, 'device.create', 'lost')
    throw new Error('refused')
  })
  await expect(failing).rejects.toThrow('refused')
  await db
    .transaction()
    .execute((tx) =>
      record(tx, actor, 'device.update', 'kept', { before: { name: 'A' }, after: { name: 'B' } }),
    )
  expect((await list('')).items).toEqual([
    {
      id: expect.any(Number),
      at: expect.stringMatching(/Z$/),
      actor: actor.id,
      action: 'device.update',
      subject: 'kept',
      ip: '2001:db8::1',
      userAgent: 'Test',
      requestId: 'request-1',
      before: { name: 'A' },
      after: { name: 'B' },
      partOf: null,
    },
  ])
})

test('lists by actor, action, subject and time, in pages without gaps', async () => {
  const { db } = server.platform
  for (let index = 0; index < 6; index++)
    await sql`insert into maple.event (at, actor, action, subject) values (
      timestamptz '2026-01-01' + ${index} * interval '1 day',
      ${index % 2 ? actor.id : null}, ${index < 3 ? 'device.create' : 'device.retire'},
      ${`gate-${index}`})`.execute(db)
  expect(await subjects('')).toEqual([5, 4, 3, 2, 1, 0].map((n) => `gate-${n}`))
  expect(await subjects(`?actor=${actor.id}`)).toEqual(['gate-5', 'gate-3', 'gate-1'])
  expect(await subjects('?action=device.create')).toEqual(['gate-2', 'gate-1', 'gate-0'])
  expect(await subjects('?subject=gate-4')).toEqual(['gate-4'])
  expect(await subjects('?q=gate-4')).toEqual(['gate-4'])
  expect(await subjects(`?q=${actor.id}`)).toEqual(['gate-5', 'gate-3', 'gate-1'])
  // `from` is inclusive, `to` is not.
  const range = 'from=2026-01-02T00:00:00Z&to=2026-01-04T00:00:00Z'
  expect(await subjects(`?${range}`)).toEqual(['gate-2', 'gate-1'])
  const first = await list('?limit=4')
  expect(await subjects(`?limit=4&cursor=${first.next}`)).toEqual(['gate-1', 'gate-0'])
  expect(first.actions).toEqual(events.actions())
  // Those of every resource of the service.
  expect(first.actions).toEqual(
    expect.arrayContaining(['account.create', 'device.create', 'job.retry']),
  )
})

test('is for admins only', async () => {
  const headers = await server.bearer(['DEVELOPER'])
  const answer = await server.app.inject({ url: '/api/maple/event', headers })
  expect(answer.json()).toMatchObject({ status: 403, code: 'forbidden' })
})

test('the text of a secret is hidden wherever it occurs', async () => {
  const after = {
    name: 'Gate',
    password: 'Grove2026!',
    nested: [{ refreshToken: 'abc', apiKey: 'def', hadPassword: true }],
  }
  await record(server.platform.db, actor, 'device.update', 'gate', { after })
  const [event] = (await list('')).items
  expect(event?.after).toEqual({
    name: 'Gate',
    password: '[hidden]',
    nested: [{ refreshToken: '[hidden]', apiKey: '[hidden]', hadPassword: true }],
  })
})

test('a large value is truncated, and a huge one is left out with its size', async () => {
  const change = {
    before: { text: 'x'.repeat(5000), list: Array.from({ length: 60 }, (_, index) => index) },
    after: Array.from({ length: 50 }, () => 'y'.repeat(900)),
  }
  await record(server.platform.db, actor, 'device.update', 'gate', change)
  const [event] = (await list('')).items
  const before = event?.before as { text: string; list: unknown[] }
  expect(before.text).toBe(`${'x'.repeat(1000)}…`)
  expect(before.list).toHaveLength(51)
  expect(before.list.at(-1)).toBe('… 10 more')
  expect(event?.after).toEqual({ tooLarge: expect.any(Number) })
})

test('of two states only the differences are kept', async () => {
  const texts = (title: string, about: string) => [
    { localeCode: 'en-US', title, about },
    { localeCode: 'ru-RU', title: 'Часы', about: 'x'.repeat(900) },
  ]
  await record(server.platform.db, actor, 'device.update', 'gate', {
    before: { name: 'Gate', state: 'active', owner: null, tags: ['a'], texts: texts('Clock', 'A') },
    after: { name: 'Gate', state: 'retired', tags: ['a'], texts: texts('Watch', 'A') },
  })
  const [event] = (await list('')).items
  expect([event?.before, event?.after]).toEqual([
    {
      name: 'Gate',
      state: 'active',
      owner: null,
      texts: [{ localeCode: 'en-US', title: 'Clock' }],
    },
    { name: 'Gate', state: 'retired', texts: [{ localeCode: 'en-US', title: 'Watch' }] },
  ])
})

test('an event cannot be changed', async () => {
  await record(server.platform.db, actor, 'device.create', 'gate')
  const change = sql`update maple.event set actor = null`.execute(server.platform.db)
  await expect(change).rejects.toThrow('an event is never changed')
})

test('events older than the setting are deleted; newer ones stay, and those that a service reads', async () => {
  const { db } = server.platform
  await record(db, actor, 'device.create', 'new')
  await sql`insert into maple.event (at, action, subject)
    select now() - interval '401 days', 'device.create', 'old' from generate_series(1, 1200)`.execute(
    db,
  )
  await sql`insert into maple.event (at, action, subject)
    values (now() - interval '2 years', 'device.retire', 'kept')`.execute(db)
  const store = { db, schema: 'maple', passedMs: () => 0 }
  const age = 400 * 24 * 3600_000
  expect(await deleteOldEvents(store, age, ['device.retire'])).toBe(1000)
  expect(await deleteOldEvents(store, age, ['device.retire'])).toBe(200)
  expect(await deleteOldEvents(store, age, ['device.retire'])).toBe(0)
  expect(await subjects('')).toEqual(['new', 'kept'])
})

test('the tables of jobs and events are the same in every service', async () => {
  const database = await testDatabase([...migrationsOf([auth, cedar, maple]), orchard])
  const shapeOf = async (schema: string, table: string) => {
    const columns = await sql<{ column_name: string }>`
      select column_name, data_type, is_nullable, column_default is not null as has_default
      from information_schema.columns
      where table_schema = ${schema} and table_name = ${table} order by ordinal_position`.execute(
      database.db,
    )
    const indexes = await sql<{ text: string }>`
      select replace(indexdef, ${`${schema}.`}, '') as text from pg_indexes
      where schemaname = ${schema} and tablename = ${table}
        and (indexname like 'event_by_%' or tablename = 'job') order by 1`.execute(database.db)
    return { columns: columns.rows, indexes: indexes.rows }
  }
  const [job, event] = [await shapeOf('auth', 'job'), await shapeOf('auth', 'event')]
  expect(job.columns.length).toBeGreaterThan(15)
  expect(event.indexes.length).toBe(4)
  for (const schema of ['cedar', 'maple', 'orchard']) {
    const { columns, indexes } = await shapeOf(schema, 'job')
    // Maple also finds the jobs of a service provider.
    const isOwn = (text: string) => schema === 'maple' && /\bscope\b/.test(text)
    expect(columns.filter(({ column_name: name }) => !isOwn(name))).toEqual(job.columns)
    expect(indexes.filter(({ text }) => !isOwn(text))).toEqual(job.indexes)
  }
  for (const schema of ['cedar', 'maple']) {
    // Both also find the events of a provider.
    const { columns, indexes } = await shapeOf(schema, 'event')
    const isOwn = (text: string) => /provider|product|service_id|part_of IS NOT/.test(text)
    expect(columns.filter(({ column_name: name }) => !isOwn(name))).toEqual(event.columns)
    // Maple leaves out the parts of a bulk change.
    const common = indexes.map(({ text }) => ({
      text: text.replace(' WHERE (part_of IS NULL)', ''),
    }))
    expect(common.filter(({ text }) => !isOwn(text))).toEqual(event.indexes)
  }
  await database.close()
})
