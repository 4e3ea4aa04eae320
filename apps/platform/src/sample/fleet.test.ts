import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../core/database/database.ts'
import { migrationsOf } from '../core/service.ts'
import { StartupError } from '../core/startup-error.ts'
import { programArgs } from '../core/testing/run-script.ts'
import { testDatabase } from '../core/testing/test-database.ts'
import { maple } from '../services/maple/index.ts'
import { help, readArguments } from './fleet-arguments.ts'
import { processActor } from '../core/actor.ts'
import type { MapleTables } from '../services/maple/base/tables.ts'
import { listDevices } from '../services/maple/fleet/device/device-list.service.ts'
import { buildCplc, productionDate } from './fleet-cplc.ts'
import { sampleDevice, sampleDeviceId } from './fleet-device.ts'
import { duration, progressLine } from './fleet-progress.ts'
import { fillFleet } from './fleet.ts'

const now = Date.UTC(2026, 10, 21)
const fleet = Array.from({ length: 5000 }, (_, index) => sampleDevice(index, now))

describe('a CPLC', () => {
  test('has the expected bytes', () => {
    const cplc = buildCplc({
      serial: 0x00485399,
      fabricated: new Date(Date.UTC(2024, 11, 20)),
      batch: 0x0648,
      equipment: 0x1f0,
    })
    // Packaging on 1 January 2025, embedding on the 15th, then the two equipment dates.
    expect(cplc).toBe(
      '4790D321470010480300' +
        '4355' +
        '00485399' +
        '0648' +
        '4812' +
        '5001' +
        '4810' +
        '5015' +
        '4C47' +
        '5019' +
        '000001F0' +
        '4C47' +
        '5020' +
        '000001F1',
    )
    expect(cplc).toHaveLength(84)
  })

  test.each([
    ['2026-01-01', '6001'],
    ['2024-12-31', '4366'],
    ['2030-03-01', '0060'],
  ])('writes %s as %s', (day, date) => {
    expect(productionDate(new Date(day))).toBe(date)
  })
})

describe('the sample fleet', () => {
  test('is the same each time, and each of its chips is unique', () => {
    expect(fleet.slice(0, 50)).toEqual(
      Array.from({ length: 50 }, (_, index) => sampleDevice(index, now)),
    )
    const cplcs = fleet.flatMap(({ cplc }) => cplc)
    expect(cplcs.length).toBeGreaterThan(4000)
    expect(new Set(cplcs.map((cplc) => cplc.slice(24, 32))).size).toBe(cplcs.length)
    for (const cplc of cplcs) expect(cplc).toMatch(/^[0-9A-F]{84}$/)
  })

  test('has every type and state, names in two alphabets, and devices that never connected', () => {
    const kinds = new Set(fleet.map(({ type, state }) => `${type} ${state}`))
    expect(kinds.size).toBe(24)
    expect(fleet.filter(({ name }) => /^[А-Я]/.test(name)).length).toBeGreaterThan(500)
    expect(fleet.filter(({ lastSeenAt }) => lastSeenAt === null).length).toBeGreaterThan(500)
    expect(fleet.map(({ name }) => name)).toContainEqual(
      expect.stringMatching(/^Turnstile \d{4}, /),
    )
  })

  test('was seen after its creation and before now', () => {
    for (const { createdAt, lastSeenAt } of fleet) {
      if (lastSeenAt === null) continue
      expect(lastSeenAt >= createdAt && lastSeenAt <= new Date(now).toISOString()).toBe(true)
    }
  })
})

describe('filling', () => {
  let database: Database
  beforeAll(async () => {
    database = await testDatabase(migrationsOf([maple]))
  })
  afterAll(() => database.close())

  const context = () => ({ db: database.db.withTables<MapleTables>(), now: () => now })

  const counts = async () => {
    const { rows } = await sql<{ devices: number; elements: number }>`
      select (select count(*) from maple.device) as devices,
        (select count(*) from maple.element where device_id is not null) as elements
    `.execute(database.db)
    return rows[0]
  }
  const expected = (devices: number) => ({
    devices,
    elements: Array.from({ length: devices }, (_, index) => sampleDevice(index, now).cplc).flat()
      .length,
  })

  test('starts small, stops when aborted, continues, and adds nothing twice', async () => {
    const actor = { ...processActor('sample'), id: 'someone', sessionId: undefined }
    expect(await fillFleet(context(), { devices: 40, actor })).toBe(40)
    expect(await counts()).toEqual(expected(40))

    const controller = new AbortController()
    const added = await fillFleet(context(), {
      devices: 12_000,
      signal: controller.signal,
      onProgress: () => controller.abort(),
    })
    expect(added).toBe(4960)
    expect(await counts()).toEqual(expected(5000))

    const steps: number[] = []
    const onProgress = (done: number) => steps.push(done)
    expect(await fillFleet(context(), { devices: 12_000, onProgress })).toBe(7000)
    expect(steps).toEqual([5000, 10_000, 12_000])
    expect(await fillFleet(context(), { devices: 12_000 })).toBe(0)
    expect(await counts()).toEqual(expected(12_000))
  }, 90_000)

  test('writes one event for each run that added something', async () => {
    const { rows } = await sql`
      select actor, subject, after from maple.event order by id
    `.execute(database.db)
    expect(rows).toEqual([
      { actor: 'someone', subject: 'sample fleet', after: { added: 40 } },
      { actor: null, subject: 'sample fleet', after: { added: 7000 } },
    ])
  })

  test('creates a fully counted fleet, and a search says when it stops early', async () => {
    const anyone = processActor('test')
    const all = await listDevices(context(), anyone, { count: true, limit: 1 })
    expect([all.count, all.isTruncated]).toEqual([{ value: 12_000, isCapped: false }, false])
    const boot = await listDevices(context(), anyone, { type: 'boot', count: true, limit: 1 })
    const boots = Array.from({ length: 12_000 }, (_, index) => sampleDevice(index, now)).filter(
      ({ type }) => type === 'boot',
    )
    expect(boot.count).toEqual({ value: boots.length, isCapped: false })

    const query = { q: 'sn-', sort: 'id', limit: 200, count: true } as const
    const found: string[] = []
    let page = await listDevices(context(), anyone, query)
    expect([page.count, page.isTruncated]).toEqual([{ value: 2000, isCapped: true }, false])
    // Beyond what a search in another order reads.
    while (found.length < 2200) {
      found.push(...page.items.map(({ id }) => id))
      page = await listDevices(context(), anyone, { ...query, cursor: page.next ?? '' })
    }
    expect(found).toEqual(Array.from({ length: 2200 }, (_, index) => sampleDeviceId(index)))
    const byTime = await listDevices(context(), anyone, { ...query, sort: 'createdAt' })
    expect([byTime.count, byTime.isTruncated]).toEqual([{ value: 2000, isCapped: true }, true])
    const narrow = await listDevices(context(), anyone, { ...query, type: 'boot' })
    expect([narrow.count?.value, narrow.isTruncated]).toEqual([boots.length, false])
  })

  test('fills a gap, and leaves a changed device unchanged', async () => {
    const { db } = database
    await sql`delete from maple.element where device_id = 'SN-0000007'`.execute(db)
    await sql`delete from maple.device where id = 'SN-0000007'`.execute(db)
    await sql`delete from maple.device_term where device_id = 'SN-0000007'`.execute(db)
    await sql`update maple.device set name = 'Mine' where id = 'SN-0000008'`.execute(db)
    expect(await fillFleet(context(), { devices: 20 })).toBe(1)
    const { rows } = await sql<{ name: string }>`
      select name from maple.device where id = 'SN-0000008'
    `.execute(db)
    expect(rows).toEqual([{ name: 'Mine' }])
    expect(await counts()).toEqual(expected(12_000))
  })
})

test('progress tells how far, how fast and how long', () => {
  expect(progressLine(410_000, 1_000_000, 410_000, 41_000)).toBe(
    '410,000 of 1,000,000 devices (41 %), 10,000 a second, 59 s left',
  )
  expect(progressLine(5000, 10_000, 0, 10)).toBe('5,000 of 10,000 devices (50 %)')
  expect(duration(245)).toBe('4 min 5 s')
})

describe('the arguments', () => {
  test('are a number of devices, or a question', () => {
    expect(readArguments(['--devices', '1000000'])).toBe(1_000_000)
    expect(readArguments(['--help'])).toBe('help')
    expect(help).toContain('--devices N')
  })

  test.each([
    [[], /^Say how many devices/],
    [['--devices'], /--devices.*argument missing/],
    [['--devices', '1e6'], /^--devices is "1e6"; it must be a whole number from 1/],
    [['--devices', '10000000'], /^--devices is "10000000"/],
    [['--devices', '5', '--fast'], /Unknown option '--fast'/],
    [['5'], /Unexpected argument '5'/],
  ])('%j are refused with one sentence', (args, sentence) => {
    expect(() => readArguments(args)).toThrow(StartupError)
    expect(() => readArguments(args)).toThrow(sentence)
  })
})

// Runs on its own embedded database.
describe.runIf(process.env['GROVE_TEST_ENGINE'] === 'pglite')('the command', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'grove-fleet-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const main = fileURLToPath(new URL('./main.ts', import.meta.url))
  /** Runs it on the embedded database of a folder; `interruptAt` presses Ctrl-C at that output. */
  function run(args: string[], env: Record<string, string> = {}, interruptAt?: string) {
    const child = spawn(process.execPath, programArgs(main, ...args), {
      cwd: fileURLToPath(new URL('../../../..', import.meta.url)),
      env: { ...process.env, DATABASE_URL: '', GROVE_DATA: folder, ...env },
    })
    let out = ''
    let err = ''
    child.stdout.on('data', (bytes) => {
      out += bytes
      if (interruptAt !== undefined && out.includes(interruptAt)) child.kill('SIGINT')
    })
    child.stderr.on('data', (bytes) => (err += bytes))
    return new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
      child.on('close', (code) => resolve({ code, out, err })),
    )
  }

  test('answers a wrong argument with one sentence', async () => {
    const { code, out, err } = await run(['--devices', '0'])
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/^--devices is "0".*\.\n$/)
  })

  test('is refused in production', async () => {
    const secret = randomBytes(32).toString('hex')
    const env = { GROVE_ENV: 'production', GROVE_SECRET: secret }
    const { code, err } = await run(['--devices', '1'], env)
    expect([code, err]).toEqual([1, expect.stringMatching(/^GROVE_ENV is production.*\n$/)])
  })

  test('stops at Ctrl-C between batches, and continues when run again', async () => {
    const stopped = await run(['--devices', '15000'], {}, 'of 15,000 devices')
    expect([stopped.code, stopped.err]).toEqual([130, ''])
    expect(stopped.out).toMatch(
      /Stopped at (5000|10000) of 15000 devices; run it again to continue\./,
    )
    const there = Number(/Stopped at (\d+)/.exec(stopped.out)?.[1])
    const resumed = await run(['--devices', '15000'])
    expect([resumed.code, resumed.err]).toEqual([0, ''])
    expect(resumed.out).toContain(`15000 sample devices are there; ${15_000 - there} are new`)
  }, 180_000)
})
