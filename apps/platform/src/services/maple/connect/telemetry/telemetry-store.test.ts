import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import {
  openStore,
  type Database,
  type Db,
  type Store,
} from '../../../../core/database/database.ts'
import { openDatabaseGate, type DatabaseGate } from '../../../../core/testing/database-gate.ts'
import { openProcesses, type Processes } from '../../../../core/testing/processes.ts'
import { startTestServer } from '../../../../core/testing/test-platform.ts'
import { testDatabase } from '../../../../core/testing/test-database.ts'
import { dayOf } from '../../base/day-partitions.ts'
import { maple } from '../../index.ts'
import { auth } from '../../../auth/index.ts'
import { handlerClient } from '../../program/device-handler/testing/handler-client.ts'
import { gatewayWorld, type GatewayWorld } from '../gateway/testing/gateway-world.ts'
import { telemetryMigrations } from './telemetry-store.ts'
import { rollTelemetry, tidyTelemetry } from './telemetry.service.ts'

const hourMs = 3_600_000
const waiting = { timeout: 15_000, interval: 50 }

async function addressOf(db: Db): Promise<string> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  return Object.assign(new URL(inject('postgresUrl')), { pathname: `/${rows[0]?.name}` }).href
}

// The embedded database stores the points itself.
describe.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')(
  'measurements in a PostgreSQL of their own',
  () => {
    let database: Database
    let gate: DatabaseGate
    let telemetry: Store
    let world: GatewayWorld
    beforeAll(async () => {
      database = await testDatabase([telemetryMigrations])
      gate = await openDatabaseGate(await addressOf(database.db))
      telemetry = openStore(gate.url)
      world = await gatewayWorld({ telemetry })
    })
    afterAll(async () => {
      await world.close()
      await telemetry.close()
      await gate.stop()
      await database.close()
    })

    const measure = (seq: number, d: unknown, ts: number) =>
      JSON.stringify({ t: 'telemetry', boot: 'boot-1', seq, d, ts })
    const pointsOf = async (id: string, db: Db = database.db) =>
      (
        await sql`select key, value from maple.telemetry
          where device_id = ${id} order by key, ts`.execute(db)
      ).rows
    const rangeOf = (id: string) => {
      const [from, to] = [-hourMs, hourMs].map((by) => new Date(Date.now() + by).toISOString())
      return `deviceId=${id}&from=${from}&to=${to}`
    }
    const messagesOf = async (id: string) =>
      (await world.ask('GET', `device/connection?deviceId=${id}`)).body.messages

    test('are written and read there, and messages stay in the database', async () => {
      const { id, secret } = await world.device()
      const link = await world.welcomed(secret)
      for (const seq of [1, 2, 2]) link.say(measure(seq, { t: seq }, Date.now() - 60_000 + seq))
      await link.until('ack', ({ seq }) => seq === 2)
      expect(await pointsOf(id)).toEqual([
        { key: 't', value: 1 },
        { key: 't', value: 2 },
      ])
      expect(await pointsOf(id, world.server.database.db)).toEqual([])
      expect(await messagesOf(id)).toHaveLength(2)
      const ask = (path: string) => world.ask('GET', `device/telemetry${path}`)
      expect((await ask(`/key?${rangeOf(id)}`)).body.items).toMatchObject([{ key: 't', value: 2 }])
      expect((await ask(`?${rangeOf(id)}&key=t&columns=1`)).body.items).toMatchObject([
        { min: 1, max: 2, count: 2 },
      ])
      const file = await world.server.app.inject({
        url: `/api/maple/device/telemetry/export?${rangeOf(id)}`,
        headers: world.headers,
      })
      expect(file.body.split('\r\n')).toHaveLength(4)
    })

    test('are also written there by a device handler', async () => {
      const handlers = handlerClient(world)
      const device = await handlers.deviceWith(
        'const decode = ({ bytes }) => ({ telemetry: { level: bytes[0] } })',
      )
      const link = await world.welcomed(device.secret)
      link.say({ t: 'bytes', boot: 'boot-1', seq: 1, d: Buffer.from([7]).toString('base64') })
      await vi.waitFor(
        async () => expect(await pointsOf(device.id)).toEqual([{ key: 'level', value: 7 }]),
        waiting,
      )
    })

    test('are aggregated by the hour and cleaned up there', async () => {
      const { id, secret } = await world.device()
      const link = await world.welcomed(secret)
      const at = Date.now() - 30 * hourMs
      link.say(measure(1, { late: 5 }, at))
      await link.until('ack')
      const context = await maple.open(world.server.platform)
      const { db } = database
      await sql`update maple.telemetry_rolled set until = date_bin('1 hour', now(), '2000-01-01Z')`.execute(
        db,
      )
      const { signal } = new AbortController()
      await rollTelemetry(context, signal)
      const { rows } = await sql`
        select max, count from maple.telemetry_hour where device_id = ${id}`.execute(db)
      expect(rows).toEqual([{ max: 5, count: 1 }])
      await tidyTelemetry({ ...context, now: () => Date.now() + 100 * 24 * hourMs }, signal)
      expect(await pointsOf(id)).toEqual([])
      expect(
        (
          await sql`select to_regclass(${`maple.telemetry_${dayOf(at).replaceAll('-', '')}`}) as found`.execute(
            db,
          )
        ).rows,
      ).toEqual([{ found: null }])
    })

    test('have the same tables as in the database', async () => {
      const tables = async (db: Db) =>
        (
          await sql`
            select table_name, column_name, data_type, collation_name, is_nullable, column_default
            from information_schema.columns
            where table_schema = 'maple' and table_name ~ '^telemetry(_[a-z]+)?$'
            order by table_name, ordinal_position`.execute(db)
        ).rows
      const indexes = async (db: Db) =>
        (
          await sql`
            select indexdef from pg_indexes
            where schemaname = 'maple' and tablename ~ '^telemetry(_[a-z]+)?$' order by 1`.execute(
            db,
          )
        ).rows
      const main = world.server.database.db
      expect(await tables(database.db)).toEqual(await tables(main))
      expect(await indexes(database.db)).toEqual(await indexes(main))
    })

    test('wait with their devices while it is unavailable, and nothing else does @long', async () => {
      const { id, secret } = await world.device()
      const ready = async () => {
        const answer = await world.server.app.inject('/readyz')
        return [answer.statusCode, answer.json()]
      }
      const link = await world.welcomed(secret)
      await gate.stop()
      const at = Date.now()
      link.say(measure(1, { t: 1 }, at))
      await link.closed
      expect(link.heard.filter(({ t }) => t === 'ack')).toEqual([])
      expect(link.heard.at(-1)).toMatchObject({ t: 'bye', code: 'unavailable' })
      expect(await messagesOf(id)).toEqual([])
      expect(await world.ask('GET', `device/telemetry?${rangeOf(id)}&key=t`)).toMatchObject({
        status: 503,
        body: {
          code: 'telemetry_unavailable',
          detail: 'The store of measurements is not responding. Try again shortly.',
        },
      })
      await vi.waitFor(
        async () =>
          expect(await ready()).toEqual([
            200,
            { status: 'degraded', database: true, objects: true, telemetry: false },
          ]),
        waiting,
      )
      expect((await world.server.app.inject('/metrics')).body).toContain('grove_telemetry_up 0')
      // Other messages are stored meanwhile, also in one batch with measurements.
      const other = await world.welcomed(secret)
      other.say({ t: 'event', boot: 'boot-1', seq: 1, d: { n: 1 } })
      await other.until('ack')
      const [measuring, quiet] = [await world.device(), await world.device()]
      const links = [await world.welcomed(measuring.secret), await world.welcomed(quiet.secret)]
      links[0]?.say(measure(1, { t: 1 }, at))
      links[1]?.say({ t: 'event', boot: 'boot-1', seq: 1, d: { n: 1 } })
      await links[1]?.until('ack')
      await links[0]?.closed
      expect(await messagesOf(measuring.id)).toEqual([])
      expect(await messagesOf(quiet.id)).toHaveLength(1)

      await gate.start()
      const back = await world.welcomed(secret)
      back.say(measure(2, { t: 1 }, at))
      await back.until('ack', ({ seq }) => seq === 2)
      expect(await pointsOf(id)).toEqual([{ key: 't', value: 1 }])
      expect(await messagesOf(id)).toHaveLength(2)
      await vi.waitFor(
        async () =>
          expect(await ready()).toEqual([
            200,
            { status: 'ok', database: true, objects: true, telemetry: true },
          ]),
        waiting,
      )
    })
  },
)

test('/readyz does not wait for a store that hangs @long', async () => {
  const silent = createServer(() => {})
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const telemetry = openStore(`postgres://grove@127.0.0.1:${port}/grove`)
  const server = await startTestServer([maple], { telemetry })
  const answer = await server.app.inject('/readyz')
  expect(answer.json()).toMatchObject({ status: 'degraded', telemetry: false })
  // It still waits for its connection.
  expect(telemetry.connections().total).toBe(1)
  await server.close()
  silent.close()
  await telemetry.close()
})

describe.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')('a start', () => {
  let database: Database
  let gate: DatabaseGate
  let world: Processes
  beforeAll(async () => {
    database = await testDatabase([])
    gate = await openDatabaseGate(await addressOf(database.db))
    world = await openProcesses([auth, maple])
  })
  afterAll(async () => {
    await world.close()
    await gate.stop()
    await database.close()
  })

  test('does without the store, and creates its tables once it is available @long', async () => {
    await gate.stop()
    const platform = await world.start({
      GROVE_SERVICES: 'auth,maple,gateway',
      TELEMETRY_URL: gate.url,
    })
    expect(platform.output()).toMatch(
      /PostgreSQL at TELEMETRY_URL does not answer \(.*\)\. Starting\./,
    )
    await gate.start()
    await vi.waitFor(async () => {
      const { rows } = await sql`select to_regclass('maple.telemetry_hour')::text as found`.execute(
        database.db,
      )
      expect(rows).toEqual([{ found: 'maple.telemetry_hour' }])
    }, waiting)
  })
})
