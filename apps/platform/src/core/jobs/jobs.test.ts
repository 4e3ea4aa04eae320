import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { Database } from '../database/database.ts'
import { testDatabase } from '../testing/test-database.ts'
import { requeueFinished, stopJob } from './job-list.queries.ts'
import { orchard, startOrchard, untilStopped, type OrchardTables } from './testing/orchard.ts'

let database: Database
let processes: { close: () => Promise<void> }[] = []
let passed = 0
const warnings: { fields: object; message: string }[] = []

beforeAll(async () => {
  database = await testDatabase([orchard])
})
afterAll(() => database.close())
afterEach(async () => {
  await Promise.all(processes.map((process) => process.close()))
  processes = []
  passed = 0
  warnings.length = 0
  await tables().deleteFrom('orchard.job').execute()
  await tables().deleteFrom('orchard.trace').execute()
})

const tables = () => database.db.withTables<OrchardTables>()
const patience = { timeout: 10_000, interval: 10 }
const second = 1000

/** A separate process, as far as the database can tell. */
function start(options: Parameters<typeof startOrchard>[1] = {}) {
  const process = startOrchard(database.db, {
    passedMs: () => passed,
    warn: (fields, message) => void warnings.push({ fields, message }),
    closeMs: 1000,
    ...options,
  })
  processes.push(process)
  return process
}

const jobOf = (id: string | null) =>
  tables().selectFrom('orchard.job').selectAll().where('id', '=', String(id)).executeTakeFirst()
const jobs = () => tables().selectFrom('orchard.job').selectAll().orderBy('created_at').execute()
const traces = async () =>
  (await tables().selectFrom('orchard.trace').select('text').orderBy('id').execute()).map(
    ({ text }) => text,
  )
const reaches = (id: string | null, expected: object) =>
  vi.waitFor(async () => expect(await jobOf(id)).toMatchObject(expected), patience)
const delayOf = async (id: string | null) => {
  const row = await jobOf(id)
  return Date.parse(row?.due_at ?? '') - Date.parse(row?.failed_at ?? '')
}

test('a job runs once its transaction is committed, and never when it is rolled back', async () => {
  const { enqueue } = start()
  const rolledBack = database.db.transaction().execute(async (tx) => {
    await enqueue(tx, 'pick', 'rolled back')
    throw new Error('refused')
  })
  await expect(rolledBack).rejects.toThrow('refused')
  const id = await database.db.transaction().execute((tx) => enqueue(tx, 'pick', 'committed'))
  await reaches(id, { state: 'completed', attempts: 1, input: null, claim: null })
  expect(await traces()).toEqual(['committed'])
})

test('owners take turns: one with a hundred jobs does not delay the first of another', async () => {
  const slots = 4
  const started: string[] = []
  const endings = new Map<string, () => void>()
  const { enqueue, nudge } = start({
    pollMs: 60_000,
    onRun: (input) => {
      started.push(input)
      return new Promise((resolve) => endings.set(input, resolve))
    },
  })
  const end = (input: string) => {
    endings.get(input)?.()
    endings.delete(input)
  }
  const owned = (owner: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({ owner, input: `${owner} ${index}` }))
  const add = (all: { owner: string; input: string }[]) =>
    database.db.transaction().execute(async (tx) => {
      for (const { owner, input } of all) await enqueue(tx, 'pick', input, { owner })
    })
  const running = (expected: string[]) =>
    vi.waitFor(() => expect([...endings.keys()].sort()).toEqual(expected), patience)

  await add(owned('ash', 100))
  // Half of the slots stay free for others, who get them however long the first ones take.
  await running(['ash 0', 'ash 1'])
  await add(owned('birch', 3))
  await running(['ash 0', 'ash 1', 'birch 0', 'birch 1'])
  await add(owned('cedar', 1))
  nudge()
  // All slots are taken: whichever is freed goes to the owner who has none.
  end('ash 0')
  await running(['ash 1', 'birch 0', 'birch 1', 'cedar 0'])
  end('cedar 0')
  await running(['ash 1', 'ash 2', 'birch 0', 'birch 1'])
  end('birch 0')
  await running(['ash 1', 'ash 2', 'birch 1', 'birch 2'])
  expect(endings.size).toBe(slots)
})

test('a job whose owner has used up its slots does not keep the loop awake @long', async () => {
  const { enqueue } = start({
    pollMs: 60_000,
    beatMs: 60_000,
    onRun: (_input, signal) => untilStopped(signal),
  })
  for (const input of ['1', '2', '3', '4']) await enqueue(database.db, 'pick', input)
  await vi.waitFor(async () => expect(await traces()).toHaveLength(2), patience)
  const looks = vi.spyOn(database.db.getExecutor(), 'executeQuery')
  await new Promise((resolve) => setTimeout(resolve, 1000))
  expect(looks.mock.calls.length).toBeLessThan(20)
})

test('a provider’s job is not written without its owner, nor a platform’s job with one', async () => {
  const { enqueue } = start()
  await expect(enqueue(database.db, 'pick', 'x', { owner: null })).rejects.toThrow('needs an owner')
  await expect(enqueue(database.db, 'weed', null, { owner: 'ash' })).rejects.toThrow('has no owner')
})

test('a job waits for its time, and the loop sleeps until then @long', async () => {
  const { enqueue, nudge } = start({ pollMs: 60_000 })
  const runAt = new Date(Date.now() + 1500)
  const id = await enqueue(database.db, 'pick', 'soon', { runAt })
  const later = await enqueue(database.db, 'pick', 'tomorrow', {
    runAt: new Date(Date.now() + 24 * 3600 * second),
  })
  await reaches(id, { state: 'completed' })
  expect(Date.now()).toBeGreaterThanOrEqual(runAt.getTime() - 50)
  expect(await jobOf(later)).toMatchObject({ state: 'queued' })
  passed = 24 * 3600 * second
  nudge()
  await reaches(later, { state: 'completed' })
})

test('of jobs with the same key one waits at a time; once it has run, another may', async () => {
  const { enqueue } = start()
  const runAt = new Date(Date.now() + 3600 * second)
  const add = () => enqueue(database.db, 'pick', 'once', { key: 'tree 1', runAt })
  const [first, ...others] = await Promise.all([add(), add(), add()])
  const made = [first, ...others].filter((id) => id !== null)
  expect(made).toHaveLength(1)
  expect(await enqueue(database.db, 'pick', 'other', { key: 'tree 2', runAt })).not.toBeNull()
  passed = 3600 * second
  await reaches(made[0] ?? '', { state: 'completed' })
  expect(await add()).not.toBeNull()
})

test('processes that share a database run each job once', async () => {
  const all = [1, 2, 3].map(() => start({ pollMs: 20 }))
  const texts = Array.from({ length: 60 }, (_, index) => String(index))
  await Promise.all(
    all.flatMap(({ enqueue }, index) =>
      texts
        .filter((text) => Number(text) % 3 === index)
        .map((text) => enqueue(database.db, 'pick', text)),
    ),
  )
  await vi.waitFor(async () => {
    const states = (await jobs()).map(({ state }) => state)
    expect(states).toEqual(texts.map(() => 'completed'))
  }, patience)
  expect((await traces()).sort()).toEqual([...texts].sort())
})

test('a failed attempt waits twice as long each time, and the last one becomes a dead letter', async () => {
  const { enqueue, nudge } = start({
    onRun: async () => {
      throw Object.assign(new Error('No ladder'), { code: 'ELADDER' })
    },
  })
  const id = await enqueue(database.db, 'pick', 'high')
  const failure = { code: 'ELADDER', message: 'No ladder' }
  await reaches(id, { state: 'queued', attempts: 1, failure })
  expect(await delayOf(id)).toBe(10 * second)
  passed += 10 * second
  nudge()
  await reaches(id, { state: 'queued', attempts: 2 })
  expect(await delayOf(id)).toBe(20 * second)
  passed += 20 * second
  nudge()
  await reaches(id, { state: 'failed', attempts: 3, failure, input: 'high', claim: null })
  expect((await jobOf(id))?.finished_at).not.toBeNull()
  expect(warnings.map(({ message }) => message)).toEqual([
    'A job failed and is tried again later',
    'A job failed and is tried again later',
    'A job failed and is given up',
  ])
})

test('a job is given up when its time is over, however few attempts it had', async () => {
  const { enqueue, nudge } = start({
    onRun: async () => {
      throw new Error('Stuck')
    },
  })
  const id = await enqueue(database.db, 'press', '')
  await reaches(id, { state: 'queued', attempts: 1 })
  passed += 59 * second
  nudge()
  await reaches(id, { state: 'failed', attempts: 2, failure: { code: 'Error', message: 'Stuck' } })
})

test('a job that is days overdue fails with its last reason and does not run', async () => {
  const id = await database.db.transaction().execute(async (tx) => {
    const added = await start().enqueue(tx, 'press', '')
    await sql`update orchard.job set queued_at = now() - interval '1 day'`.execute(tx)
    return added
  })
  await reaches(id, { state: 'failed', failure: { code: 'out_of_time' } })
})

test('a job whose process dies at each attempt is given up', async () => {
  const id = randomUUID()
  await sql`insert into orchard.job
    (id, name, state, input, attempts, max_attempts, due_at, created_at, queued_at)
    values (${id}, 'pick', 'running', '"poison"', 3, 3, now(), now(), now())`.execute(database.db)
  start()
  await reaches(id, { state: 'failed', failure: { code: 'process_lost' } })
  expect(await traces()).toEqual([])
})

test('input with secrets is encrypted, padded, and deleted once the job is done', async () => {
  const { enqueue, close } = start()
  await close()
  const add = (letter: { to: string; token: string } | null) =>
    enqueue(database.db, 'letter', letter)
  const short = await add(null)
  const long = await add({ to: 'someone@grove.test', token: 'x'.repeat(500) })
  const [first, second] = [await jobOf(short), await jobOf(long)]
  expect(first).toMatchObject({ input: null, state: 'queued' })
  expect(second?.sealed_input).toHaveLength(first?.sealed_input?.length ?? 0)
  const bytes = Buffer.from(second?.sealed_input ?? '', 'base64url').toString('latin1')
  expect(`${second?.sealed_input} ${bytes}`).not.toMatch(/someone|x{16}/)
  start()
  await reaches(long, { state: 'completed', sealed_input: null, input: null })
})

test('the failure of an encrypted job keeps the code but not the message, which may repeat the input', async () => {
  const { enqueue } = start()
  const id = await enqueue(database.db, 'letter', { to: 'someone@grove.test', token: 'refused' })
  await reaches(id, { attempts: 1, failure: { code: 'EENVELOPE', message: null } })
  const final = await enqueue(database.db, 'letter', { to: 'a@grove.test', token: 'ended' })
  await reaches(final, {
    state: 'failed',
    attempts: 1,
    failure: { code: 'ended', message: 'The link ended.' },
  })
  expect(JSON.stringify(warnings)).not.toContain('grove.test')
})

test('input encrypted with another secret is a failed attempt that says so', async () => {
  const other = start({ secret: 'another secret' })
  await other.close()
  const id = await other.enqueue(database.db, 'letter', null)
  start()
  await reaches(id, { state: 'queued', attempts: 1, failure: { code: 'unreadable_input' } })
})

test('progress is written while the job runs', async () => {
  const gates: (() => void)[] = []
  const { enqueue } = start({ onRun: () => new Promise((resolve) => gates.push(resolve)) })
  const id = await enqueue(database.db, 'bulk', 3)
  await reaches(id, { state: 'running', progress_done: 1, progress_total: 3 })
  gates[0]?.()
  await reaches(id, { state: 'running', progress_done: 2 })
  gates[1]?.()
  await vi.waitFor(() => expect(gates).toHaveLength(3), patience)
  gates[2]?.()
  await reaches(id, { state: 'completed', progress_done: 3, progress_total: 3 })
})

test('a run keeps its claim for longer than a lease, and a silent one loses it @long', async () => {
  let release = () => {}
  const { enqueue } = start({
    leaseMs: 300,
    beatMs: 50,
    onRun: () => new Promise<void>((resolve) => (release = resolve)),
  })
  const id = await enqueue(database.db, 'pick', 'long')
  await reaches(id, { state: 'running' })
  const first = (await jobOf(id))?.due_at ?? ''
  start({ leaseMs: 300, pollMs: 20 })
  await vi.waitFor(async () => {
    const due = (await jobOf(id))?.due_at ?? ''
    expect(Date.parse(due) - Date.parse(first)).toBeGreaterThan(900)
  }, patience)
  expect(await jobOf(id)).toMatchObject({ attempts: 1 })
  release()
  await reaches(id, { state: 'completed', attempts: 1 })
  expect(await traces()).toEqual(['long'])
})

test('a run that lost its claim is stopped and writes nothing more', async () => {
  let reason: unknown
  const silent = start({
    leaseMs: 200,
    beatMs: 600_000,
    onRun: async (_input, signal) => {
      signal.addEventListener('abort', () => (reason = signal.reason))
      await untilStopped(signal)
    },
  })
  const id = await silent.enqueue(database.db, 'pick', 'twice')
  await reaches(id, { state: 'running' })
  start({ pollMs: 20 })
  await reaches(id, { state: 'completed', attempts: 2 })
  silent.nudge()
  await vi.waitFor(() => expect(reason).toBe('lost'), patience)
  expect(await jobOf(id)).toMatchObject({ state: 'completed', attempts: 2, failure: null })
})

test.each(['completes', 'fails'])(
  'a run that lost its claim and %s late leaves the job to its new process',
  async (end) => {
    const finish: Record<string, () => void> = {}
    const run = (name: string) => () =>
      new Promise<void>((resolve, reject) => {
        finish[name] = () => (name === 'late' && end === 'fails' ? reject(new Error()) : resolve())
      })
    const late = start({ leaseMs: 200, beatMs: 600_000, onRun: run('late') })
    const id = await late.enqueue(database.db, 'pick', 'twice')
    await reaches(id, { state: 'running', attempts: 1 })
    start({ pollMs: 20, onRun: run('new') })
    await reaches(id, { state: 'running', attempts: 2 })
    await vi.waitFor(() => expect(finish).toHaveProperty('new'), patience)
    const { claim } = (await jobOf(id)) ?? {}
    finish['late']?.()
    await late.close()
    expect(await jobOf(id)).toMatchObject({ state: 'running', attempts: 2, claim, failure: null })
    finish['new']?.()
    await reaches(id, { state: 'completed', attempts: 2 })
    expect(warnings).toEqual([])
  },
)

test('a run whose job was deleted meanwhile fails silently @long', async () => {
  let fail = () => {}
  const { enqueue, close } = start({
    onRun: () => new Promise<void>((_resolve, reject) => (fail = () => reject(new Error('Late')))),
  })
  const id = await enqueue(database.db, 'pick', 'gone')
  await reaches(id, { state: 'running' })
  await tables().deleteFrom('orchard.job').execute()
  fail()
  await close()
  expect(warnings).toEqual([])
})

test('closing stops a run that can be stopped, and another process runs it immediately', async () => {
  const first = start({ onRun: (_input, signal) => untilStopped(signal) })
  const id = await first.enqueue(database.db, 'pick', 'cut off')
  await reaches(id, { state: 'running' })
  const began = performance.now()
  await first.close()
  expect(performance.now() - began).toBeLessThan(900)
  expect(await jobOf(id)).toMatchObject({ state: 'queued', claim: null, failure: null })
  start()
  // The interrupted run does not count against the limit.
  await reaches(id, { state: 'completed', attempts: 2, max_attempts: 4 })
})

test('closing waits a while for a run that cannot be stopped, whose claim then expires @long', async () => {
  const first = start({ onRun: () => new Promise(() => {}), leaseMs: 1500 })
  const id = await first.enqueue(database.db, 'pick', 'stubborn')
  await reaches(id, { state: 'running' })
  const began = performance.now()
  await first.close()
  expect(performance.now() - began).toBeGreaterThan(900)
  expect(await jobOf(id)).toMatchObject({ state: 'running' })
  start()
  await reaches(id, { state: 'completed', attempts: 2 })
})

test('a queued job is cancelled immediately and never runs', async () => {
  const { enqueue, store } = start()
  const runAt = new Date(Date.now() + 3600 * second)
  const id = await enqueue(database.db, 'pick', 'unwanted', { runAt })
  await stopJob(database.db, store, id ?? '')
  expect(await jobOf(id)).toMatchObject({ state: 'cancelled' })
  expect((await jobOf(id))?.finished_at).not.toBeNull()
  passed = 3600 * second
  await reaches(await enqueue(database.db, 'pick', 'wanted'), { state: 'completed' })
  expect(await traces()).toEqual(['wanted'])
})

test('a run learns that another process cancelled its job', async () => {
  const { enqueue } = start({ onRun: (_input, signal) => untilStopped(signal) })
  const id = await enqueue(database.db, 'pick', 'endless')
  await reaches(id, { state: 'running' })
  const other = start()
  await stopJob(database.db, other.store, id ?? '')
  await reaches(id, { state: 'cancelled', attempts: 1, failure: null, claim: null })
})

test('a job cancelled while its process died does not run again', async () => {
  const { store, close } = start()
  await close()
  const id = randomUUID()
  await sql`insert into orchard.job
    (id, name, state, input, attempts, max_attempts, due_at, created_at, queued_at)
    values (${id}, 'pick', 'running', '"x"', 1, 3, now(), now(), now())`.execute(database.db)
  await stopJob(database.db, store, id)
  start()
  await reaches(id, { state: 'cancelled' })
  expect(await traces()).toEqual([])
})

test('a retried dead letter has all its attempts again', async () => {
  let isBroken = true
  const { enqueue, nudge, store } = start({
    onRun: async () => {
      if (isBroken) throw new Error('Broken')
    },
  })
  const id = await enqueue(database.db, 'press', 'again')
  await reaches(id, { state: 'queued', attempts: 1 })
  passed += 3600 * second
  nudge()
  await reaches(id, { state: 'failed' })
  await requeueFinished(database.db, store, id ?? '', 1000)
  nudge()
  await reaches(id, { state: 'queued', attempts: 1 })
  isBroken = false
  passed += 10 * second
  nudge()
  await reaches(id, { state: 'completed', attempts: 2, finished_at: expect.any(String) })
})

test('a recurring job runs once per period, whatever the number of processes', async () => {
  const hour = 3600 * second
  const all = [1, 2, 3].map(() => start({ hasRecurring: true, pollMs: 30 }))
  const sweeps = () =>
    tables().selectFrom('orchard.job').selectAll().where('name', '=', 'sweep').execute()
  await vi.waitFor(async () => expect(await sweeps()).toHaveLength(1), patience)
  expect(await sweeps()).toMatchObject([{ state: 'queued' }])
  for (const period of [1, 2, 3]) {
    passed += hour
    for (const process of all) process.nudge()
    await vi.waitFor(async () => {
      const done = (await sweeps()).filter(({ state }) => state === 'completed')
      expect(done).toHaveLength(period)
      // The next one is already waiting.
      expect(await sweeps()).toHaveLength(period + 1)
    }, patience)
  }
  expect(await traces()).toEqual(['sweep', 'sweep', 'sweep'])
  const periods = (await sweeps()).map(({ period }) => Date.parse(period ?? ''))
  expect(new Set(periods).size).toBe(4)
  expect(periods.every((at) => at % hour === 0)).toBe(true)
})

test('a recurring job left by killed processes, or not run for days, runs late and once', async () => {
  const hour = 3600 * second
  const sweeps = () =>
    tables().selectFrom('orchard.job').selectAll().where('name', '=', 'sweep').execute()
  await sql`insert into orchard.job
    (name, period, state, attempts, max_attempts, due_at, claim, created_at, queued_at)
    select 'sweep', date_trunc('hour', now()) - interval '2 days', 'running', 2, 10,
      now() - interval '2 days', gen_random_uuid(), now() - interval '2 days',
      now() - interval '2 days'`.execute(database.db)
  const process = start({ hasRecurring: true, pollMs: 30 })
  await vi.waitFor(
    async () => expect((await sweeps()).map(({ state }) => state)).toEqual(['completed', 'queued']),
    patience,
  )
  expect((await sweeps())[0]).toMatchObject({ attempts: 3, failure: null })
  passed += hour
  process.nudge()
  await vi.waitFor(async () => expect(await traces()).toEqual(['sweep', 'sweep']), patience)
})

test('a recurring job runs on time after the clock of the database was a day ahead', async () => {
  const hour = 3600 * second
  const sweeps = () =>
    tables().selectFrom('orchard.job').select('state').where('name', '=', 'sweep').execute()
  passed = 24 * hour
  const ahead = start({ hasRecurring: true, pollMs: 30 })
  await vi.waitFor(async () => expect(await sweeps()).toHaveLength(1), patience)
  await ahead.close()
  passed = 0
  const process = start({ hasRecurring: true, pollMs: 30 })
  await vi.waitFor(async () => expect(await sweeps()).toHaveLength(2), patience)
  passed = hour
  process.nudge()
  await vi.waitFor(async () => expect(await traces()).toEqual(['sweep']), patience)
})

test('a job unknown to this version is left to one that knows it', async () => {
  await sql`insert into orchard.job (name, input, max_attempts, due_at, created_at, queued_at)
    values ('graft', '1', 1, now(), now(), now())`.execute(database.db)
  const { enqueue } = start({ pollMs: 20 })
  await reaches(await enqueue(database.db, 'pick', 'known'), { state: 'completed' })
  expect((await jobs()).find(({ name }) => name === 'graft')).toMatchObject({
    state: 'queued',
    attempts: 0,
  })
})
