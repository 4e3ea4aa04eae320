import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from './core/testing/free-port.ts'
import { hasHaproxy, startHaproxy } from './core/testing/haproxy.ts'
import { startLoad } from './core/testing/load.ts'
import type { PlatformProcess } from './core/testing/platform-process.ts'
import { previousRelease, previousServer } from './core/testing/previous-release.ts'
import { openProcesses, type Processes } from './core/testing/processes.ts'
import { programArgs } from './core/testing/run-script.ts'

const isPostgres = process.env['GROVE_TEST_ENGINE'] === 'postgres'
const leastRequests = 10_000

describe.runIf(isPostgres && hasHaproxy && previousRelease.isHere)(
  `an upgrade from ${previousRelease.version} and back (needs haproxy, the commit of deploy/previous-release)`,
  () => {
    let world: Processes
    let balancer: Awaited<ReturnType<typeof startHaproxy>>
    let folder: string
    let previous: string[]
    const ports: [number, number] = [0, 0]
    const at: PlatformProcess[] = []

    async function start(index: number, args?: readonly string[]) {
      const env = {
        GROVE_SERVICES: 'auth,cedar,maple,gateway',
        GROVE_DATA: folder,
        GROVE_PORT: String(ports[index]),
        GROVE_TRUST_PROXY: 'on',
        GROVE_CHANGES_PER_MINUTE: '0',
      }
      at[index] = await world.start(env, args)
    }

    /** One process after another, as the upgrade guide says. */
    async function replaceBy(args?: readonly string[]) {
      for (const [index, { child }] of at.entries()) {
        const ended = once(child, 'exit')
        child.kill('SIGTERM')
        expect(await ended).toEqual([0, null])
        await start(index, args)
        expect((await fetch(`${at[index]?.url}/readyz`)).status).toBe(200)
      }
    }

    beforeAll(async () => {
      previous = await previousServer()
      folder = await mkdtemp(join(tmpdir(), 'grove-upgrade-'))
      world = await openProcesses([])
      ports[0] = await freePort()
      ports[1] = await freePort()
      await start(0, previous)
      await start(1, previous)
      balancer = await startHaproxy(ports)
    }, 300_000)
    afterAll(async () => {
      await world.close()
      await balancer.stop()
      await rm(folder, { recursive: true, force: true })
    }, 60_000)

    test('fails no request, and loses nothing that was acknowledged', async () => {
      const admin = await world.member(at[0] ?? expect.fail('No process.'), 'ADMIN')
      const load = await startLoad(world, balancer, admin)
      const { seen } = load
      const script = fileURLToPath(new URL('migrate.ts', import.meta.url))
      const { stdout } = await promisify(execFile)(process.execPath, programArgs(script), {
        env: { PATH: process.env['PATH'], ...world.env, GROVE_DATA: folder },
      })
      console.log(stdout.trim())
      await replaceBy()
      await replaceBy(previous)
      await expect
        .poll(() => seen.requests, { timeout: 240_000, interval: 500 })
        .toBeGreaterThan(leastRequests)
      await load.stop()
      console.log(
        `${seen.requests} requests, ${seen.writes} of them writes, and ${seen.sender.acknowledged} messages over ${seen.sender.connections} connections: ${seen.failures.length} failed.`,
      )
      expect(seen.failures.slice(0, 20)).toEqual([])

      const devices = await sql<{ id: string; name: string }>`
        select id, name from maple.device where id = any(${[...seen.devices.keys()]})`.execute(
        world.db,
      )
      expect(new Map(devices.rows.map(({ id, name }) => [id, name]))).toEqual(seen.devices)
      const products = await sql<{ id: string; title: string }>`
        select id, translations -> 0 ->> 'title' as title from cedar.product
        where id::text = any(${[...seen.products.keys()]})`.execute(world.db)
      expect(new Map(products.rows.map(({ id, title }) => [id, title]))).toEqual(seen.products)
      const { rows } = await sql<{ seq: number }>`
        select seq::int from maple.device_message
        where device_id = ${seen.sender.id} and seq <= ${seen.sender.acknowledged}
        order by seq`.execute(world.db)
      expect(rows.map(({ seq }) => seq)).toEqual(
        Array.from({ length: seen.sender.acknowledged }, (_, index) => index + 1),
      )
    }, 600_000)
  },
)
