import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressesOf } from './core/database/hosts.ts'
import { openPostgresPool } from './core/database/pools.ts'
import { openDatabase } from './core/database/database.ts'
import type { PlatformProcess } from './core/testing/platform-process.ts'
import {
  hasReplicas,
  queryServer,
  startPostgres,
  type PostgresServer,
} from './core/testing/postgres-server.ts'
import { openProcesses, type Member, type Processes } from './core/testing/processes.ts'

const isPostgres = process.env['GROVE_TEST_ENGINE'] === 'postgres'
const waiting = { timeout: 30_000, interval: 50 }
/** How long writes may fail after a promotion. */
const boundMs = 5000

test('an address with several hosts becomes one per host', () => {
  expect(
    addressesOf(
      'postgres://a:p%40@one,two:5433/grove?sslmode=require&target_session_attrs=primary',
    ),
  ).toEqual([
    'postgres://a:p%40@one/grove?sslmode=require',
    'postgres://a:p%40@two:5433/grove?sslmode=require',
  ])
  expect(addressesOf('postgres://a@[::1]:1/b?target_session_attrs=read-write')).toEqual([
    'postgres://a@[::1]:1/b',
  ])
  expect(() => addressesOf('postgres://a,b/c?target_session_attrs=standby')).toThrow(
    'target_session_attrs=standby in the address of the primary must be read-write or primary',
  )
})

describe.runIf(isPostgres && (await hasReplicas()))(
  'several hosts of one database (needs postgresql)',
  () => {
    let primary: PostgresServer
    let replica: PostgresServer
    let world: Processes
    let platform: PlatformProcess
    let admin: Member
    let url: string

    beforeAll(async () => {
      primary = await startPostgres()
      replica = await primary.startReplica()
      // Every acknowledged write is also on the replica.
      await queryServer(primary, 'alter role grove set synchronous_commit = on')
      await queryServer(primary, `alter system set synchronous_standby_names = '*'`)
      await queryServer(primary, 'select pg_reload_conf()')
      // The replica first: it accepts no writes.
      url = `postgres://grove@${[replica, primary].map((each) => new URL(each.url).host).join()}/postgres?target_session_attrs=read-write`
      world = await openProcesses([])
      platform = await world.start({ DATABASE_URL: url, GROVE_SERVICES: 'auth,cedar,maple' })
      const email = `${randomUUID()}@grove.test`
      const account = { email, password: 'xQ7$mvPz9wRt', provider: 'grove', role: 'DEVELOPER' }
      await world.made(platform, '/api/signup', undefined, account)
      await queryServer(primary, `update auth.account set roles = '{ADMIN}'`)
      const { accessToken, refreshToken } = await world.signIn(platform, email)
      admin = { id: '', email, authorization: `Bearer ${accessToken}`, refreshToken }
    }, 180_000)
    afterAll(async () => {
      await world.close()
      await replica.stop()
      await primary.stop()
    }, 60_000)

    test('a connection to a server that no longer accepts changes is dropped', async () => {
      const database = await openDatabase({ url, folder: '', connections: 1 })
      const { db } = database
      const run = (text: string) => sql.raw(text).execute(db)
      await run('set session characteristics as transaction read only')
      await expect(run('create table public.refused ()')).rejects.toMatchObject({ code: '25006' })
      await run('create table public.taken ()')
      await database.close()
    })

    test('after a failover writes work again, and nothing acknowledged is lost @long', async () => {
      const other = await openDatabase({ url, folder: '' })
      const heard: string[] = []
      other.notices.on('failover', (text) => heard.push(text))
      await expect.poll(() => other.notices.isLive(), waiting).toBe(true)

      const acknowledged: string[] = []
      const ending = new AbortController()
      let failures = 0
      let lastFailure = 0
      const write = async () => {
        while (!ending.signal.aborted) {
          const id = randomUUID()
          const device = { id, name: id, type: 'iot' }
          const answer = await world
            .call(platform, 'POST', '/api/maple/device', admin.authorization, device)
            .catch(() => undefined)
          if (answer?.status === 201) acknowledged.push(id)
          else {
            failures += 1
            lastFailure = performance.now()
            // As Retry-After asks, only sooner.
            expect(answer?.status).toBe(503)
            await wait(50)
          }
        }
      }
      const work = Promise.all([write(), write(), write(), write()])
      const reads = openPostgresPool(url.replace('read-write', 'standby'), { side: 'replica' })
      await reads.query('select 1')
      await expect.poll(() => acknowledged.length, waiting).toBeGreaterThan(100)
      await primary.crash()
      const before = acknowledged.length
      await wait(1000)
      expect(failures).toBeGreaterThan(0)
      // There is no one left to wait for.
      await queryServer(replica, `alter system set synchronous_standby_names = ''`)
      await queryServer(replica, 'select pg_promote()')
      const promotedAt = performance.now()
      await expect
        .poll(() => acknowledged.length, { timeout: boundMs, interval: 20 })
        .toBeGreaterThan(before)
      await expect.poll(() => acknowledged.length, waiting).toBeGreaterThan(before + 100)
      ending.abort()
      await work
      console.log(
        `${acknowledged.length} writes acknowledged, ${failures} refused, the last ${Math.round(lastFailure - promotedAt)} ms after the promotion.`,
      )
      const rows = await queryServer(replica, 'select id from maple.device')
      const stored = new Set(rows.map(({ id }) => id))
      expect(acknowledged.filter((id) => !stored.has(id))).toEqual([])

      // A promoted replica is no longer one: its connections find the next.
      const failure = () => reads.query('select 1').catch(({ code }: { code?: string }) => code)
      await expect.poll(failure, waiting).toBe('57P03')
      await reads.end()

      await expect
        .poll(async () => {
          await other.notices.send('failover', 'again')
          return heard
        }, waiting)
        .toContain('again')
      await other.close()
    }, 120_000)
  },
)
