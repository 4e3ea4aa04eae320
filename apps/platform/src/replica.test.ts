import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PlatformProcess } from './core/testing/platform-process.ts'
import {
  hasReplicas,
  queryServer,
  startPostgres,
  type PostgresServer,
} from './core/testing/postgres-server.ts'
import { openProcesses, type Processes } from './core/testing/processes.ts'

const isPostgres = process.env['GROVE_TEST_ENGINE'] === 'postgres'
const waiting = { timeout: 30_000, interval: 50 }

describe.runIf(isPostgres && (await hasReplicas()))(
  'a replica for reads (needs postgresql)',
  () => {
    let primary: PostgresServer
    let replica: PostgresServer
    let world: Processes
    let one: PlatformProcess
    let other: PlatformProcess
    /** It reads from a replica that is at most a second behind. */
    let strict: PlatformProcess
    let ada: string
    let bob: string

    async function signUp(): Promise<string> {
      const email = `${randomUUID()}@grove.test`
      const account = { email, password: 'xQ7$mvPz9wRt', provider: 'grove', role: 'DEVELOPER' }
      await world.made(one, '/api/signup', undefined, account)
      await queryServer(primary, `update auth.account set roles = '{ADMIN}'`)
      return email
    }
    const tokenOf = async (email: string) =>
      `Bearer ${(await world.signIn(one, email)).accessToken}`

    const addDevice = async (at: PlatformProcess, by: string) => {
      const id = randomUUID()
      await world.made(at, '/api/maple/device', by, { id, name: id, type: 'iot' })
      return id
    }
    const has = async (at: PlatformProcess, by: string, id: string) => {
      const { body } = await world.call(at, 'GET', '/api/maple/device', by)
      return body.items.some((device: { id: string }) => device.id === id)
    }
    const readiness = async (at: PlatformProcess) =>
      (await world.call(at, 'GET', '/readyz', undefined)).body
    async function readsFrom(at: PlatformProcess, server: string): Promise<number> {
      const text = await (await fetch(`${at.url}/metrics`)).text()
      return Number(
        new RegExp(`^grove_replica_reads_total\\{server="${server}"\\} (\\d+)`, 'm').exec(
          text,
        )?.[1],
      )
    }
    /** Waits until Bob's own change is visible. */
    const untilCurrent = () =>
      expect
        .poll(async () => {
          const before = await readsFrom(one, 'replica')
          await world.call(one, 'GET', '/api/maple/device', bob)
          return (await readsFrom(one, 'replica')) - before
        }, waiting)
        .toBe(1)
    const resume = () => queryServer(replica, 'select pg_wal_replay_resume()')
    async function pause() {
      await queryServer(replica, 'select pg_wal_replay_pause()')
      const state = () => queryServer(replica, 'select pg_get_wal_replay_pause_state() as state')
      await expect.poll(state, waiting).toEqual([{ state: 'paused' }])
    }

    beforeAll(async () => {
      primary = await startPostgres()
      replica = await primary.startReplica()
      world = await openProcesses([])
      const env = {
        DATABASE_URL: primary.url,
        DATABASE_READ_URL: replica.url,
        GROVE_READ_LAG_SECONDS: '600',
        GROVE_SERVICES: 'auth,cedar,maple',
      }
      one = await world.start(env)
      other = await world.start(env)
      strict = await world.start({ ...env, GROVE_READ_LAG_SECONDS: '1' })
      const [first, second] = [await signUp(), await signUp()]
      ada = await tokenOf(first)
      bob = await tokenOf(second)
    }, 180_000)
    afterAll(async () => {
      await world.close()
      await replica.stop()
      await primary.stop()
    }, 60_000)

    test('lists, charts and exports are read from the replica @long', async () => {
      const device = await addDevice(one, ada)
      const { productId } = await world.made(one, '/api/developer/product', bob, {
        translations: [{ localeCode: 'en-US', title: 'Clock' }],
      })
      const range = `deviceId=${device}&from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z`
      const paths = [
        '/api/maple/device',
        '/api/maple/device/label?kind=tag',
        '/api/maple/device/state',
        '/api/maple/se/element',
        '/api/maple/event',
        '/api/cedar/event',
        '/api/auth/event',
        `/api/maple/device/telemetry?${range}&key=temperature`,
        `/api/maple/device/telemetry/export?${range}`,
        '/api/developer/activity',
        '/api/developer/activity/csv',
        `/api/developer/product/${productId}/opens`,
        '/api/admin/account',
      ]
      const exported = await Promise.all(
        ['device', 'se/element'].map((path) =>
          world.made(other, `/api/maple/${path}/export`, bob, { format: 'csv' }),
        ),
      )
      await untilCurrent()
      for (const path of [...paths, ...exported.map(({ address }) => address)]) {
        const before = await readsFrom(other, 'replica')
        const answer = await fetch(other.url + path, { headers: { authorization: bob } })
        const text = await answer.text()
        const reads = (await readsFrom(other, 'replica')) - before
        expect({ path, status: answer.status, reads }).toEqual({ path, status: 200, reads: 1 })
        if (path.startsWith('/api/maple/device/export')) expect(text).toContain(device)
      }
    })

    test('people see their own changes at every process immediately, others once the replica has them', async () => {
      await untilCurrent()
      await pause()
      const id = await addDevice(one, ada)
      for (const process of [one, other]) expect(await has(process, ada, id)).toBe(true)
      for (const process of [one, other]) expect(await has(process, bob, id)).toBe(false)
      await resume()
      for (const process of [one, other])
        await expect.poll(() => has(process, bob, id), waiting).toBe(true)
    })

    test('a replica that lags too far behind serves no reads, and the state says so @long', async () => {
      expect(await readiness(strict)).toMatchObject({ status: 'ok', replica: true })
      await pause()
      const id = await addDevice(one, ada)
      await expect.poll(() => has(strict, bob, id), waiting).toBe(true)
      expect(await readiness(strict)).toMatchObject({ status: 'degraded', replica: false })
      expect(await has(one, bob, id)).toBe(false)
      await resume()
      await expect.poll(() => readiness(strict), waiting).toMatchObject({ status: 'ok' })
    })

    test('while the replica is unavailable, reads go to the primary', async () => {
      await replica.crash()
      for (let turn = 0; turn < 20; turn += 1)
        expect((await world.call(one, 'GET', '/api/maple/device', bob)).status).toBe(200)
      await expect
        .poll(() => readiness(one), waiting)
        .toMatchObject({ status: 'degraded', replica: false, database: true })
      const before = await readsFrom(one, 'primary')
      expect(await has(one, bob, await addDevice(other, ada))).toBe(true)
      expect(await readsFrom(one, 'primary')).toBe(before + 1)
    })
  },
)
