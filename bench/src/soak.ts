import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { applyMigrations } from '../../apps/platform/src/core/database/bring-up-to-date.ts'
import { openDatabase, type Db } from '../../apps/platform/src/core/database/database.ts'
import { migrationsOf } from '../../apps/platform/src/core/service.ts'
import { freePort } from '../../apps/platform/src/core/testing/free-port.ts'
import { hasHaproxy, startHaproxy } from '../../apps/platform/src/core/testing/haproxy.ts'
import { startLoad, type Seen } from '../../apps/platform/src/core/testing/load.ts'
import type { PlatformProcess } from '../../apps/platform/src/core/testing/platform-process.ts'
import { startPostgres } from '../../apps/platform/src/core/testing/postgres-server.ts'
import {
  kill,
  openWorld,
  type Member,
  type Processes,
} from '../../apps/platform/src/core/testing/process-world.ts'
import { services } from '../../apps/platform/src/services.ts'
import { buildServer, serverArgs } from '../../scripts/workspace.mjs'
import { row, type Benchmark } from './benchmark.ts'
import type { BenchContext } from './support/bench-context.ts'
import { median } from './support/statistics.ts'

const roles = ['web', 'web', 'gateway', 'gateway', 'runner', 'runner'] as const
/** Devices per bulk change. */
const bulkDevices = 200
const bulkEveryMs = 15_000

const sizes = (isQuick: boolean) =>
  isQuick ? { minutes: 3, minuteMs: 10_000 } : { minutes: 60, minuteMs: 60_000 }

export const soak: Benchmark = {
  name: 'soak',
  title: 'An hour with a killed process every minute',
  how: `Two processes of each role behind HAProxy on one PostgreSQL. Four people sign in, read lists and change devices and apps, a device sends up to 50 messages a second, and every ${bulkEveryMs / 1000} seconds a bulk change of ${bulkDevices} devices begins. Every minute one process, chosen at random, is killed and started again. At the end: of each acknowledged write, whether it or a later one stands; of the messages that were acknowledged, how many are not stored once; of the bulk changes, how many did not reach all of their devices. Memory is the resident size of all six, the median of the last ten minutes against that of minutes 10 to 20.`,
  isLong: true,
  run: async (bench) => {
    if (!hasHaproxy) return { rows: [], details: 'HAProxy is not installed.' }
    const { minutes, minuteMs } = sizes(bench.isQuick)
    const { world, at, restart, admin, urls } = await open(bench)
    const load = await startLoad(world, { url: urls.web }, admin, {
      devicesAt: urls.gateway,
      readPauseMs: 50,
    })
    const bulks = startBulks(world, urls.web, admin)
    const memory: number[] = []
    let kills = 0
    for (let minute = 1; minute <= minutes; minute += 1) {
      await pause(minuteMs)
      memory.push(await memoryOf(at))
      const index = Math.floor(Math.random() * roles.length)
      await restart(index)
      kills += 1
      const { requests, failures, sender } = load.seen
      bench.say(
        `${minute} of ${minutes}: ${roles[index]} killed; ${requests} requests, ${failures.length} without an answer, ${sender.acknowledged} messages, ${memory.at(-1)?.toFixed(0)} MB`,
      )
    }
    await load.stop()
    const begun = await bulks.stop()
    const { seen } = load
    const missing = await missingBulks(world, urls.web, admin, begun)
    const early = median(memory.slice(10, 20).length > 0 ? memory.slice(10, 20) : memory)
    const late = median(memory.slice(-10))
    return {
      rows: [
        row('acknowledged writes lost', await lostWrites(world.db, seen), '', {
          budget: { atMost: 0 },
          note: `${seen.writes} writes, ${kills} kills`,
        }),
        row('messages lost or doubled', await wrongMessages(world.db, seen), '', {
          budget: { atMost: 0 },
          note: `${seen.sender.acknowledged} messages over ${seen.sender.connections} connections`,
        }),
        row('bulk changes not done once', missing, '', {
          budget: { atMost: 0 },
          note: `${begun.length} of ${bulkDevices} devices each`,
        }),
        row('requests without an answer', seen.failures.length, '', {
          note: `of ${seen.requests}`,
        }),
        row('memory at the end against the beginning', (late / early) * 100, '%', {
          budget: { atMost: 115 },
          note: `${early.toFixed(0)} MB, then ${late.toFixed(0)} MB`,
        }),
      ],
      ...(seen.failures.length > 0 && { details: reasonsOf(seen.failures) }),
    }
  },
}

/** The failures without their times and ids. */
function reasonsOf(failures: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const failure of failures) {
    const reason = failure.replace(/^\S+ /, '').replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…')
    const short = reason.slice(0, 100)
    counts.set(short, (counts.get(short) ?? 0) + 1)
  }
  const lines = [...counts].toSorted((a, b) => b[1] - a[1]).slice(0, 10)
  return `Without an answer: ${lines.map(([reason, count]) => `${count} × \`${reason}\``).join('; ')}.`
}

async function open(bench: BenchContext) {
  const server = await startPostgres()
  bench.atEnd(server.stop)
  const folder = await bench.folder('soak')
  const database = await openDatabase({ url: server.url, folder })
  await applyMigrations(database, migrationsOf(services))
  const world = openWorld({ db: database.db, url: server.url }, database.close)
  bench.atEnd(() => world.close())
  buildServer()
  const ports = await Promise.all(roles.map(() => freePort()))
  const webUrl = `http://127.0.0.1:${ports[0]}`
  const at: PlatformProcess[] = []
  const start = async (index: number) => {
    const role = roles[index] ?? 'web'
    at[index] = await world.start(
      {
        GROVE_ROLES: role,
        GROVE_DATA: folder,
        GROVE_PORT: String(ports[index]),
        GROVE_TRUST_PROXY: 'on',
        GROVE_CHANGES_PER_MINUTE: '0',
        ...(role !== 'web' && {
          GROVE_AUTH_JWKS_URL: `${webUrl}/.well-known/jwks.json`,
          CEDAR_URL: webUrl,
        }),
      },
      serverArgs(),
    )
  }
  for (const index of roles.keys()) await start(index)
  const balance = async (role: 'web' | 'gateway') => {
    const balancer = await startHaproxy(ports.filter((_, index) => roles[index] === role))
    bench.atEnd(() => balancer.stop())
    return balancer.url
  }
  const urls = { web: await balance('web'), gateway: await balance('gateway') }
  const admin = await world.member({ url: urls.web }, 'ADMIN')
  const restart = async (index: number) => {
    const process = at[index]
    if (process) await kill(process)
    await start(index)
  }
  return { world, at, restart, admin, urls }
}

interface Begun {
  id: string
  number: number
}

/** Starts one bulk change after another; each sets a different number on all devices. */
function startBulks(world: Processes, url: string, admin: Member) {
  const ending = new AbortController()
  const begun: Begun[] = []
  const work = async () => {
    const ids = Array.from({ length: bulkDevices }, () => randomUUID())
    for (const id of ids)
      await world.made({ url }, '/api/maple/device', admin.authorization, {
        id,
        name: id,
        type: 'virtual',
      })
    while (!ending.signal.aborted) {
      const number = begun.length + 1
      const answer = await world
        .call({ url }, 'POST', '/api/maple/device/bulk', admin.authorization, {
          filter: { type: 'virtual' },
          action: 'setAttribute',
          key: 'round',
          attribute: { type: 'number', value: number },
        })
        .catch(() => undefined)
      if (answer !== undefined && answer.status < 300) begun.push({ id: answer.body.id, number })
      await pause(bulkEveryMs, undefined, { signal: ending.signal }).catch(() => {})
    }
  }
  const done = work()
  return {
    async stop() {
      ending.abort()
      await done
      return begun
    },
  }
}

/** The number of bulk changes that did not change each device once; waits for those still running. */
async function missingBulks(world: Processes, url: string, admin: Member, begun: readonly Begun[]) {
  let missing = 0
  for (const { id } of begun) {
    const until = Date.now() + 120_000
    let bulk: { state: string; changed: number; unchanged: number; refused: number } | undefined
    do {
      const answer = await world.call(
        { url },
        'GET',
        `/api/maple/device/bulk/${id}`,
        admin.authorization,
      )
      bulk = answer.body
      if (bulk?.state === 'queued' || bulk?.state === 'running') await pause(500)
    } while ((bulk?.state === 'queued' || bulk?.state === 'running') && Date.now() < until)
    if (bulk?.state !== 'completed' || bulk.changed !== bulkDevices) {
      missing += 1
      console.log(`  ${JSON.stringify(bulk)}`)
    }
  }
  return missing
}

/** Acknowledged writes that are stored neither themselves nor as a later write. */
async function lostWrites(db: Db, { devices, products, doubtful }: Seen): Promise<number> {
  const found = await sql<{ id: string; name: string }>`
    select id, name from maple.device where id = any(${[...devices.keys()]})
    union all
    select id::text, translations -> 0 ->> 'title' from cedar.product
    where id::text = any(${[...products.keys()]})`.execute(db)
  const names = new Map(found.rows.map(({ id, name }) => [id, name]))
  return [...devices, ...products].filter(([id, name]) => {
    const stands = names.get(id)
    return stands !== name && !(stands !== undefined && doubtful.get(id)?.includes(stands))
  }).length
}

/** Acknowledged messages that are missing, plus those that are stored twice. */
async function wrongMessages(db: Db, { sender }: Seen): Promise<number> {
  const { rows } = await sql<{ stored: number; known: number }>`
    select count(*)::int as stored, count(distinct seq)::int as known
    from maple.device_message
    where device_id = ${sender.id} and boot <> '' and seq <= ${sender.acknowledged}`.execute(db)
  const { stored, known } = rows[0] ?? { stored: 0, known: 0 }
  return stored - known + (sender.acknowledged - known)
}

/** Resident memory of all processes, in MB. */
async function memoryOf(processes: readonly PlatformProcess[]): Promise<number> {
  let sum = 0
  for (const { child } of processes) {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
    sum += Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024
  }
  return sum
}
