import { once } from 'node:events'
import { sql } from 'kysely'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { deviceSocketPath } from '@grove/device-protocol/limits'
import { openDatabase } from './core/database/database.ts'
import { hasPgbouncer, startPgbouncer } from './core/testing/pgbouncer.ts'
import type { PlatformProcess } from './core/testing/platform-process.ts'
import { openProcesses, type Member, type Processes } from './core/testing/processes.ts'
import { auth } from './services/auth/index.ts'
import { cedar } from './services/cedar/index.ts'
import { maple } from './services/maple/index.ts'

const waiting = { timeout: 10_000, interval: 20 }
const isPostgres = process.env['GROVE_TEST_ENGINE'] === 'postgres'

describe.runIf(isPostgres && hasPgbouncer)('through PgBouncer (needs pgbouncer)', () => {
  let world: Processes
  let pooler: Awaited<ReturnType<typeof startPgbouncer>>
  let web: PlatformProcess
  let gateway: PlatformProcess
  let admin: Member

  const start = (GROVE_ROLES: string, more: Record<string, string> = {}) =>
    world.start({
      GROVE_SERVICES: 'auth,cedar,maple,gateway',
      GROVE_ROLES,
      DATABASE_URL: pooler.url,
      DATABASE_DIRECT_URL: world.databaseUrl,
      ...more,
    })

  beforeAll(async () => {
    world = await openProcesses([auth, cedar, maple])
    pooler = await startPgbouncer(world.databaseUrl)
    web = await start('web,runner')
    gateway = await start('gateway')
    admin = await world.member(web, 'ADMIN')
  }, 180_000)
  afterAll(async () => {
    const name = sql.id(new URL(world.databaseUrl).pathname.slice(1))
    await sql`alter role current_user in database ${name} reset all`.execute(world.db)
    await world.close()
    await pooler.stop()
  }, 60_000)

  test('without the direct address, a start says what is missing @long', async () => {
    await expect(start('web', { DATABASE_DIRECT_URL: '' })).rejects.toThrow(
      /unsupported startup parameter.*: a pooler stands there, so set DATABASE_DIRECT_URL to the address past it\./,
    )
  })

  test('every connection has the settings that Grove needs', async () => {
    const client = new Client({ connectionString: pooler.url })
    await client.connect()
    const { rows } = await client.query(
      `select current_setting('TimeZone') as zone, current_setting('jit') as jit,
        current_setting('statement_timeout') as limit`,
    )
    await client.end()
    expect(rows).toEqual([{ zone: 'UTC', jit: 'off', limit: '30s' }])
  })

  test('connections from before these settings are refused @long', async () => {
    const name = sql.id(new URL(world.databaseUrl).pathname.slice(1))
    await sql`alter role current_user in database ${name} set statement_timeout = '7s'`.execute(
      world.db,
    )
    const other = await startPgbouncer(world.databaseUrl)
    const client = new Client({ connectionString: other.url })
    await client.connect()
    await client.query('select 1')
    await client.end()
    await expect(start('web', { DATABASE_URL: other.url })).rejects.toThrow(
      /connections from before .* \(statement_timeout\): .* RECONNECT/,
    )
    await other.stop()
  })

  test('a command reaches a device at another process immediately', async () => {
    const made = (path: string, body: object) =>
      world.made(web, `/api/maple/${path}`, admin.authorization, body)
    await made('device', { id: 'pooled', name: 'x', type: 'iot', state: 'accepted' })
    const { secret } = await made('device/credential', { deviceId: 'pooled' })
    const socket = new WebSocket(gateway.url.replace(/^http/, 'ws') + deviceSocketPath, {
      headers: { authorization: `Bearer ${secret}` },
    })
    const heard: { t: string }[] = []
    socket.on('message', (data: Buffer) => heard.push(JSON.parse(data.toString())))
    await once(socket, 'open')
    socket.send('{"t":"hello","v":1,"boot":"x"}')
    await expect.poll(() => heard[0]?.t, waiting).toBe('welcome')
    for (let turn = 1; turn <= 5; turn += 1) {
      await made('device/command', { deviceId: 'pooled', name: 'echo' })
      const commands = () => heard.filter(({ t }) => t === 'command').length
      // A gateway polls every ten seconds.
      await expect.poll(commands, { timeout: 2000, interval: 20 }).toBe(turn)
    }
    socket.terminate()
  })

  test('a lock and a setting stay with their session', async () => {
    // The first one may have a connection from when the role had another limit, above.
    const other = await startPgbouncer(world.databaseUrl)
    const database = await openDatabase({
      url: other.url,
      directUrl: world.databaseUrl,
      folder: '',
    })
    const backend = await database.direct((db) =>
      db.connection().execute(async (connection) => {
        await sql`select pg_advisory_lock(77)`.execute(connection)
        await Promise.all(
          Array.from({ length: 20 }, () => sql`select pg_sleep(0.01)`.execute(database.db)),
        )
        const { rows } = await sql<{ isFree: boolean }>`
          select pg_advisory_unlock(77) as "isFree"`.execute(connection)
        return rows[0]
      }),
    )
    expect(backend).toEqual({ isFree: true })
    await database.close()
    await other.stop()
  })
})
