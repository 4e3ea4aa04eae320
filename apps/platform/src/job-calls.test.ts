import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Job } from '@grove/contract/core/job'
import { maple } from './services/maple/index.ts'
import { startTestServer, type TestServer } from './core/testing/test-platform.ts'

let server: TestServer
let admin: { authorization: string }
const adminId = randomUUID()

beforeAll(async () => {
  server = await startTestServer([maple])
  admin = await server.bearer(['ADMIN'], adminId)
})
afterAll(() => server.close())
beforeEach(async () => {
  await sql`delete from maple.job`.execute(server.platform.db)
})

const ask = (url: string, method: 'GET' | 'POST' = 'GET', headers = admin) =>
  server.app.inject({ method, url: `/api/maple/job${url}`, headers })

interface NewRow {
  state?: string
  name?: string
  input?: string | null
  minute?: number
}

/** A job with a name that nothing here runs, written `minute` minutes after a fixed time. */
async function add({ state = 'queued', name = 'fleet.count', input = '{}', minute = 0 }: NewRow) {
  const { rows } = await sql<{ id: string }>`
    insert into maple.job (name, state, input, max_attempts, due_at, created_at, queued_at)
    values (${name}, ${state}, ${input}::jsonb, 3, now() + interval '1 day',
      timestamptz '2026-01-01' + ${minute} * interval '1 minute', now())
    returning id`.execute(server.platform.db)
  return rows[0]?.id ?? ''
}

const namesOf = (answer: { json: () => { items: Job[] } }) =>
  answer.json().items.map(({ name }) => name)

test('lists newest first, by state and by name, in pages without gaps', async () => {
  for (let minute = 0; minute < 7; minute++)
    await add({ name: `job.${minute}`, state: minute % 2 ? 'failed' : 'completed', minute })
  expect(namesOf(await ask(''))).toEqual([6, 5, 4, 3, 2, 1, 0].map((n) => `job.${n}`))
  expect(namesOf(await ask('?state=failed'))).toEqual(['job.5', 'job.3', 'job.1'])
  expect(namesOf(await ask('?state=failed,completed&limit=4'))).toEqual(
    [6, 5, 4, 3].map((n) => `job.${n}`),
  )
  expect(namesOf(await ask('?name=job.2'))).toEqual(['job.2'])
  const countOf = async (query: string) => (await ask(query)).json().count
  expect(await countOf('?state=failed&count=true&limit=1')).toEqual({ value: 3, isCapped: false })
  expect(await countOf('?state=failed,completed&count=true')).toMatchObject({ value: 7 })
  expect(await countOf('?name=job.2&count=true')).toMatchObject({ value: 1 })
  expect(await countOf('')).toBeUndefined()

  const first = (await ask('?state=completed,failed&limit=3')).json()
  const second = await ask(`?state=completed,failed&limit=3&cursor=${first.next}`)
  expect(namesOf(second)).toEqual(['job.3', 'job.2', 'job.1'])
  const back = await ask(`?state=completed,failed&limit=3&cursor=${second.json().previous}`)
  expect(namesOf(back)).toEqual(['job.6', 'job.5', 'job.4'])
  expect(first.names).toEqual(
    expect.arrayContaining(['device.import', 'event.delete', 'job.delete']),
  )
  expect(first.names).toEqual(first.names.toSorted())
  expect((await ask('?cursor=bm9uc2Vuc2U')).json()).toMatchObject({ code: 'bad_cursor' })
})

test('recurring jobs are listed on their own, or left out, with or without a state', async () => {
  for (let minute = 0; minute < 4; minute++) {
    const id = await add({ name: `job.${minute}`, state: minute < 2 ? 'failed' : 'queued', minute })
    if (minute % 2)
      await sql`update maple.job set period = created_at where id = ${id}`.execute(
        server.platform.db,
      )
  }
  expect(namesOf(await ask('?recurring=true'))).toEqual(['job.3', 'job.1'])
  expect(namesOf(await ask('?recurring=false'))).toEqual(['job.2', 'job.0'])
  expect(namesOf(await ask('?recurring=false&state=failed'))).toEqual(['job.0'])
  expect((await ask('?recurring=true&count=true')).json().count).toMatchObject({ value: 2 })
})

test('shows one job, and never its input', async () => {
  const id = await add({ input: '{"note":"private"}', state: 'failed' })
  const answer = await ask(`/${id}`)
  expect(answer.json()).toMatchObject({ id, state: 'failed', attempts: 0, maxAttempts: 3 })
  expect(answer.body).not.toContain('private')
  expect((await ask('')).body).not.toContain('private')
  expect((await ask(`/${randomUUID()}`)).json()).toMatchObject({ status: 404, code: 'not_found' })
})

test('retries a dead letter, with an event that names the person', async () => {
  const id = await add({ state: 'failed', name: 'job.delete' })
  const answer = await ask(`/${id}/retry`, 'POST')
  expect(answer.json()).toMatchObject({ id, state: 'queued', attempts: 0 })
  await vi.waitFor(
    async () => expect((await ask(`/${id}`)).json()).toMatchObject({ state: 'completed' }),
    { timeout: 10_000, interval: 20 },
  )
  const { rows } = await sql`
    select actor, action, before, after from maple.event where subject = ${id}`.execute(
    server.platform.db,
  )
  expect(rows).toEqual([
    {
      actor: adminId,
      action: 'job.retry',
      before: { name: 'job.delete', state: 'failed' },
      after: { name: 'job.delete', state: 'queued' },
    },
  ])
})

test('cancels a queued job', async () => {
  const id = await add({})
  expect((await ask(`/${id}`, 'GET')).json().rights).toMatchObject({ cancel: null })
  expect((await ask(`/${id}/cancel`, 'POST')).json()).toMatchObject({
    state: 'cancelled',
    rights: { cancel: 'job_finished' },
  })
  expect((await ask(`/${id}/cancel`, 'POST')).json()).toMatchObject({
    status: 409,
    code: 'job_finished',
  })
})

test.each([
  [{ state: 'completed' }, 'retry', 'job_not_finished'],
  [{ state: 'queued' }, 'retry', 'job_not_finished'],
  [{ state: 'failed', name: 'fleet.count' }, 'retry', 'job_input_gone'],
  [{ state: 'failed', name: 'job.delete', input: null }, 'retry', 'job_input_gone'],
  [{ state: 'completed' }, 'cancel', 'job_finished'],
])('refuses for %j to %s: %s', async (row, action, code) => {
  const id = await add(row)
  expect((await ask(`/${id}`, 'GET')).json().rights).toMatchObject({ [action]: code })
  expect((await ask(`/${id}/${action}`, 'POST')).json()).toMatchObject({ status: 409, code })
})

test('is for admins only', async () => {
  const id = await add({ state: 'failed' })
  const developer = await server.bearer(['DEVELOPER'])
  for (const [url, method] of [
    ['', 'GET'],
    [`/${id}`, 'GET'],
    [`/${id}/retry`, 'POST'],
    [`/${id}/cancel`, 'POST'],
  ] as const)
    expect((await ask(url, method, developer)).json()).toMatchObject({ code: 'forbidden' })
})
