import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { readConfig } from '../../../../core/config.ts'
import { openDatabase, type Database, type Db } from '../../../../core/database/database.ts'
import { migrationsOf } from '../../../../core/service.ts'
import { readStreamAddress } from '../../../../core/stream/stream-address.ts'
import { openStream, type Stream } from '../../../../core/stream/stream.ts'
import { openDatabaseGate, type DatabaseGate } from '../../../../core/testing/database-gate.ts'
import { hasNats, startNats, type Nats } from '../../../../core/testing/nats-server.ts'
import { runScript } from '../../../../core/testing/run-script.ts'
import { testDatabase } from '../../../../core/testing/test-database.ts'
import type { MapleTables } from '../../base/tables.ts'
import { maple } from '../../index.ts'
import { telemetryStore } from '../telemetry/telemetry-store.ts'
import { openDeviceHub } from './device-hub.ts'
import { partitionOf } from './intake-stream.ts'
import { openIntakeWriter } from './intake-writer.ts'
import { openIntake } from './intake.ts'
import { gatewayWorld, type GatewayWorld } from './testing/gateway-world.ts'

const waiting = { timeout: 20_000, interval: 50 }
const isPostgres = process.env['GROVE_TEST_ENGINE'] === 'postgres'
const dieBeforeAck = new URL('./testing/die-before-stream-ack.ts', import.meta.url)

// The embedded database has one process and never becomes unavailable.
describe.runIf(isPostgres && hasNats)('messages through NATS (needs nats-server)', () => {
  let outer: Database
  let folder: string
  let gate: DatabaseGate
  let inner: Database
  let nats: Nats
  let stream: Stream
  let world: GatewayWorld
  const ends: (() => Promise<unknown>)[] = []
  const writers: { close: () => Promise<unknown> }[] = []

  const toNats = (maxBytes = 100 * 1024 * 1024) => {
    const address = readStreamAddress({ NATS_URL: nats.url })
    if (!address) throw new Error('There is no address.')
    const opened = openStream({ ...address, maxBytes }, { warn: () => {} })
    ends.push(opened.close)
    return opened
  }
  const isUp = (each: Stream) => vi.waitFor(() => each.ping(), waiting)
  const isEmpty = () =>
    vi.waitFor(async () => expect((await stream.state()).messages).toBe(0), waiting)

  /** A process that writes the stream's messages into the database. */
  async function openWriter() {
    const own = toNats()
    await isUp(own)
    const db = inner.db.withTables<MapleTables>()
    const refused: object[] = []
    const intake = openIntake({
      db,
      telemetry: telemetryStore(db, undefined),
      hub: openDeviceHub(),
      now: Date.now,
      telemetryDays: 90,
      warn: () => () => {},
    })
    const log = { warn: () => {}, error: (fields: object) => void refused.push(fields) }
    const writer = openIntakeWriter({ db, intake, stream: own, log })
    writers.push(writer)
    return { ...writer, refused, cut: own.close }
  }

  async function openWorld(given: Stream) {
    await isUp(given)
    const config = readConfig({
      GROVE_DATA: folder,
      GROVE_LOG: 'silent',
      GROVE_CHANGES_PER_MINUTE: '0',
      // The tests start the writers.
      GROVE_ROLES: 'web,gateway',
      DATABASE_URL: gate.url,
      GROVE_SECRET: randomBytes(32).toString('hex'),
    })
    return gatewayWorld({
      stream: given,
      config,
      overrides: { database: inner, db: inner.db },
    })
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'grove-stream-'))
    outer = await testDatabase(migrationsOf([maple]))
    const name = await sql<{ name: string }>`select current_database() as name`.execute(outer.db)
    const url = Object.assign(new URL(inject('postgresUrl')), { pathname: name.rows[0]?.name })
    gate = await openDatabaseGate(url.href)
    inner = await openDatabase({ url: gate.url, folder: '' })
    nats = await startNats()
    stream = toNats()
    world = await openWorld(stream)
  }, 60_000)
  afterEach(async () => {
    // What a test leaves in the stream must not reach the next one.
    await openWriter()
    await isEmpty()
    for (const each of writers.splice(0)) await each.close()
  }, 60_000)
  afterAll(async () => {
    await world.close()
    for (const end of ends) await end()
    await inner.close()
    await gate.stop()
    await nats.close()
    await outer.close()
    await rm(folder, { recursive: true, force: true })
  }, 60_000)

  const telemetry = (seq: number) =>
    JSON.stringify({ t: 'telemetry', boot: 'boot-1', seq, ts: Date.now(), d: { n: seq } })
  const storedOf = async (id: string, db: Db = outer.db) => {
    const { rows } = await sql<{ seq: number }>`
      select seq::int as seq from maple.device_message
      where device_id = ${id} and boot <> '' order by id`.execute(db)
    return rows.map(({ seq }) => seq)
  }
  const pointsOf = async (id: string) =>
    (
      await sql<{ value: number }>`
        select value from maple.telemetry where device_id = ${id} order by ts, value`.execute(
        outer.db,
      )
    ).rows.map(({ value }) => value)
  const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1)
  const isStored = (id: string, last: number, db?: Db) =>
    expect.poll(() => storedOf(id, db), waiting).toEqual(upTo(last))

  /** A device that follows the protocol: it keeps unacknowledged messages and resends them. */
  async function sender(at = world) {
    const { id, secret } = await at.device()
    let said = 0
    let acked = 0
    const over = { isDone: false }
    let breaks = 0
    const done = (async () => {
      while (!over.isDone) {
        const link = at.connect(secret)
        link.socket.on('error', () => {})
        try {
          await Promise.race([once(link.socket, 'open'), link.closed])
          link.say({ t: 'hello', v: 1, boot: 'boot-1' })
          let sent = (await link.until('welcome')).seq
          acked = Math.max(acked, sent)
          const closed = { isClosed: false }
          void link.closed.then(() => (closed.isClosed = true))
          while (!closed.isClosed && !over.isDone) {
            while (sent < Math.min(said, acked + 60)) link.say(telemetry(++sent))
            const last = link.heard.filter((each) => each.t === 'ack').at(-1)
            acked = Math.max(acked, last?.seq ?? 0)
            await wait(5)
          }
        } catch {
          // The connection was closed.
        }
        link.socket.terminate()
        if (!over.isDone) breaks += 1
        await wait(100)
      }
    })()
    ends.unshift(() => {
      over.isDone = true
      return done
    })
    return {
      id,
      secret,
      say: (more: number) => void (said += more),
      acked: () => acked,
      breaks: () => breaks,
      isAcknowledged: () => expect.poll(() => acked, waiting).toBe(said),
      async stop() {
        over.isDone = true
        await done
      },
    }
  }

  test('each arrives once, in order, with its points and its time of arrival', async () => {
    const writer = await openWriter()
    const { id, secret } = await world.device()
    const link = await world.welcomed(secret)
    const before = Date.now()
    for (const seq of [1, 2, 2, 1, 3]) link.say(telemetry(seq))
    await link.until('ack', ({ seq }) => seq === 3)
    const after = Date.now()
    await isStored(id, 3)
    expect(await pointsOf(id)).toEqual([1, 2, 3])
    expect(writer.counts()).toMatchObject({ stored: 5, refused: 0 })
    const { rows } = await sql<{ at: number }>`
      select extract(epoch from received_at)::float8 * 1000 as at from maple.device_message where device_id = ${id} and boot <> ''`.execute(
      outer.db,
    )
    for (const { at } of rows) {
      expect(at).toBeGreaterThanOrEqual(before - 1)
      expect(at).toBeLessThanOrEqual(after)
    }
    // A welcome names the acknowledged messages.
    expect((await world.welcomed(secret)).welcome.seq).toBe(3)
  })

  test('results and states reach the database in the same way', async () => {
    await openWriter()
    const { id, secret } = await world.device()
    const { body } = await world.ask('POST', 'device/command', { deviceId: id, name: 'ping' })
    const link = await world.welcomed(secret)
    await link.until('command')
    link.say(`{"t":"result","boot":"boot-1","seq":1,"id":"${body.id}","ok":true,"d":7}`)
    link.say('{"t":"reported","boot":"boot-1","seq":2,"d":{"interval":60}}')
    await link.until('ack', ({ seq }) => seq === 2)
    const answered = async () => (await world.ask('GET', `device/command/${body.id}`)).body
    await expect.poll(answered, waiting).toMatchObject({ state: 'succeeded', result: 7 })
    await isStored(id, 2)
  })

  test('a welcome names the last message of the stream, once that is written', async () => {
    const { id, secret } = await world.device()
    const link = await world.welcomed(secret)
    for (const seq of upTo(5)) link.say(telemetry(seq))
    await link.until('ack', ({ seq }) => seq === 5)
    link.socket.terminate()
    const again = world.connect(secret)
    await once(again.socket, 'open')
    again.say({ t: 'hello', v: 1, boot: 'boot-1' })
    await openWriter()
    expect((await again.until('welcome')).seq).toBe(5)
    await isStored(id, 5)
  })

  test('an unavailable database causes a delay: devices continue, and everything is stored afterwards', async () => {
    const writer = await openWriter()
    const devices = await Promise.all(Array.from({ length: 20 }, () => sender()))
    for (const each of devices) each.say(50)
    for (const each of devices) await each.isAcknowledged()
    await gate.stop()
    for (let turn = 0; turn < 20; turn += 1) {
      for (const each of devices) each.say(10)
      await wait(100)
    }
    for (const each of devices) await each.isAcknowledged()
    expect(devices.map((each) => each.breaks())).toEqual(devices.map(() => 0))
    await gate.start()
    for (const each of devices) await isStored(each.id, 250)
    expect(writer.refused).toEqual([])
    for (const each of devices) await each.stop()
  }, 60_000)

  test('a writer that dies between the write and the acknowledgement stores nothing twice', async () => {
    const { id, secret } = await world.device()
    const link = await world.welcomed(secret)
    for (const seq of upTo(20)) link.say(telemetry(seq))
    await link.until('ack', ({ seq }) => seq === 20)
    const name = await sql<{ name: string }>`select current_database() as name`.execute(outer.db)
    const url = Object.assign(new URL(inject('postgresUrl')), { pathname: name.rows[0]?.name })
    const { child, exited } = runScript(dieBeforeAck, url.href, nats.url)
    await exited
    expect(child.signalCode).toBe('SIGKILL')
    expect((await storedOf(id)).length).toBeGreaterThan(0)
    expect((await stream.state()).messages).toBeGreaterThan(0)
    const writer = await openWriter()
    await isStored(id, 20)
    await isEmpty()
    // The redelivered batch is written by now.
    expect(await storedOf(id)).toEqual(upTo(20))
    expect(await pointsOf(id)).toEqual(upTo(20))
    expect(writer.counts()).toMatchObject({ stored: expect.any(Number), refused: 0 })
  }, 60_000)

  test('NATS is killed and restarted: nothing acknowledged is lost, nothing is duplicated', async () => {
    await openWriter()
    const ready = async () => (await world.server.app.inject('/readyz')).json()
    const devices = await Promise.all(Array.from({ length: 10 }, () => sender()))
    for (let turn = 0; turn < 3; turn += 1) {
      for (const each of devices) each.say(50)
      await wait(50)
      await nats.kill()
      await expect.poll(ready, waiting).toMatchObject({ status: 'degraded', nats: false })
      for (const each of devices) each.say(50)
      await nats.start()
    }
    for (const each of devices) await each.isAcknowledged()
    for (const each of devices) await isStored(each.id, 300)
    const { rows } = await sql`
      select sum(lost)::int as lost from maple.device_stream
      where device_id = any(${devices.map(({ id }) => id)})`.execute(outer.db)
    expect(rows).toEqual([{ lost: 0 }])
    expect(devices.some((each) => each.breaks() > 0)).toBe(true)
    for (const each of devices) await each.stop()
    await expect.poll(ready, waiting).toMatchObject({ status: 'ok', nats: true })
  }, 90_000)

  test('several writers share the work, and keep the order of a device when one dies', async () => {
    const both = [await openWriter(), await openWriter()]
    const devices = await Promise.all(Array.from({ length: 16 }, () => sender()))
    const go = async () => {
      for (const each of devices) each.say(40)
      for (const each of devices) await each.isAcknowledged()
    }
    await vi.waitFor(async () => {
      await go()
      for (const each of both) expect(each.counts().stored).toBeGreaterThan(0)
    }, waiting)
    const [first] = both
    for (const each of devices) each.say(40)
    // Its claims remain, like those of a process that died.
    await first?.cut()
    await go()
    for (const each of devices) await isStored(each.id, each.acked())
    for (const each of devices) await each.stop()
  }, 90_000)

  test('messages that can never be stored are reported and removed, and hold up nothing else', async () => {
    await sql`
      create function maple.refuse_poison() returns trigger language plpgsql as $$
        begin
          if new.data::text like '%poison%' then
            raise exception 'No column takes it.' using errcode = '22003';
          end if;
          return new;
        end $$`.execute(outer.db)
    await sql`
      create trigger refuse_poison before insert on maple.device_message
      for each row execute function maple.refuse_poison()`.execute(outer.db)
    const { id, secret } = await world.device()
    const link = await world.welcomed(secret)
    for (const seq of upTo(9))
      link.say(
        JSON.stringify({ t: 'event', boot: 'boot-1', seq, d: seq === 5 ? 'poison' : 'fine' }),
      )
    await link.until('ack', ({ seq }) => seq === 9)
    await stream.publish(partitionOf(id), 'something else')
    const writer = await openWriter()
    await expect.poll(() => storedOf(id), waiting).toEqual([1, 2, 3, 4, 6, 7, 8, 9])
    await isEmpty()
    expect(writer.refused).toHaveLength(2)
    expect(writer.refused).toContainEqual({ reason: expect.stringContaining('JSON') })
    expect(writer.refused).toContainEqual({
      device: id,
      kind: 'event',
      boot: 'boot-1',
      seq: 5,
      reason: 'No column takes it.',
    })
    expect(writer.counts().refused).toBe(2)
    await sql`drop function maple.refuse_poison cascade`.execute(outer.db)
  }, 60_000)

  test('a full stream refuses: devices are told to come later, and lose nothing', async () => {
    const full = await openWorld(toNats(20_000))
    const devices = await Promise.all(Array.from({ length: 10 }, () => sender(full)))
    for (const each of devices) each.say(100)
    const { secret } = await full.device()
    await vi.waitFor(() => expect(full.reasons).toContain('the stream in NATS is full'), waiting)
    // Nothing is written: a device that connects is told the same.
    const link = full.connect(secret)
    await once(link.socket, 'open')
    link.say({ t: 'hello', v: 1, boot: 'boot-1' })
    await link.closed
    expect(link.heard).toEqual([{ t: 'bye', code: 'unavailable', retryIn: expect.any(Number) }])
    await openWriter()
    for (const each of devices) await each.isAcknowledged()
    for (const each of devices) await isStored(each.id, 100)
    for (const each of devices) await each.stop()
    await full.close()
  }, 60_000)
})
