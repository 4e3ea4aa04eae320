import { availableParallelism } from 'node:os'
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { openStream, partitions } from '../../apps/platform/src/core/stream/stream.ts'
import { readStreamAddress } from '../../apps/platform/src/core/stream/stream-address.ts'
import { hasNats, startNats } from '../../apps/platform/src/core/testing/nats-server.ts'
import {
  openIntakeStream,
  partitionOf,
} from '../../apps/platform/src/services/maple/connect/gateway/intake-stream.ts'
import type { GivenMessage } from '../../apps/platform/src/services/maple/connect/gateway/intake.queries.ts'
import type { MapleDb } from '../../apps/platform/src/services/maple/base/tables.ts'
import { bareRate, countWrong, openGateway } from './agents.ts'
import { row, type Benchmark, type Row } from './benchmark.ts'
import { deviceOf } from './support/agent-fleet.ts'
import type { BenchContext } from './support/bench-context.ts'
import { startFleet } from './support/fleet-process.ts'
import type { ServerProcess } from './support/server-process.ts'
import { timed } from './support/statistics.ts'

const sizes = (isQuick: boolean) =>
  isQuick
    ? { agents: 200, messages: 20, batches: 20 }
    : { agents: 2000, messages: 50, batches: 200 }
const batchRows = 5000

export const intakeBenchmark: Benchmark = {
  name: 'intake',
  title: 'Intake of messages, with NATS and without',
  how: `2,000 agents in two processes, each of which sends 50 messages as fast as its window allows, to one process that runs the gateway alone, with PostgreSQL on the same machine, which does not wait for its disk; against the same rows in statements of ${batchRows.toLocaleString('en')} into a table of the same shape. Agents and gateway share the cores: with the load set apart, the time that the agents’ processor time took of all cores is left out. With NATS, a runner in a process of its own writes the messages; “acknowledged” is when every device was told, “stored” when all rows are there. Stream: batches of ${batchRows.toLocaleString('en')} messages by what the gateway puts them into the stream with, against the same messages encoded and published to the same partitions, batch by batch in turns, in one process, into one NATS.`,
  isLong: true,
  run: async (bench) => {
    const { agents, messages } = sizes(bench.isQuick)
    const { db, start } = await openGateway(bench, agents)
    const direct = await measure(bench, { db, gateway: await start() })
    const bare = await bareRate(db, agents * messages)
    const rows = [
      row('intake over sockets against a bare batched insert', (direct.rate / bare) * 100, '%', {
        note: `${Math.round(direct.rate)} messages a second against ${Math.round(bare)}`,
      }),
      row('the same with the load set apart', (direct.apart / bare) * 100, '%', {
        budget: { atLeast: 60 },
        note: direct.note,
      }),
    ]
    if (!hasNats) return { rows, details: 'NATS is not installed.' }
    const nats = await startNats()
    bench.atEnd(() => nats.close())
    rows.push(...(await measureStream(nats.url, bench)))
    const settings = { NATS_URL: nats.url, GROVE_SECRET: randomBytes(32).toString('hex') }
    const runner = await start({
      ...settings,
      GROVE_SERVICES: 'maple',
      GROVE_ROLES: 'runner',
      GROVE_PORT: '0',
    })
    const streamed = await measure(bench, { db, gateway: await start(settings), runner })
    rows.push(
      row('acknowledged with NATS', streamed.rate, '/s', { note: streamed.note }),
      row('stored with NATS', streamed.storedRate, '/s', {
        note: `${((streamed.storedRate / bare) * 100).toFixed(1)} % of the bare insert`,
      }),
      row('messages lost or doubled', await countWrong(db), '', { budget: { atMost: 0 } }),
    )
    return { rows }
  },
}

interface Given {
  db: MapleDb
  gateway: ServerProcess
  runner?: ServerProcess
}

async function measure(bench: BenchContext, { db, gateway, runner }: Given) {
  const { agents, messages } = sizes(bench.isQuick)
  const total = agents * messages
  const count = async () =>
    (
      await sql<{ count: number }>`
        select count(*)::int as count from maple.device_message where boot <> ''`.execute(db)
    ).rows[0]?.count ?? 0
  const fleet = startFleet(bench, gateway.url, { count: agents })
  await fleet.allConnected()
  const before = await count()
  const times = async () =>
    [
      await fleet.processorTime(),
      (await gateway.processorTime()) ?? Number.NaN,
      (await runner?.processorTime()) ?? 0,
    ] as const
  const [ofLoad, ofGateway, ofRunner] = await times()
  const start = performance.now()
  fleet.order({ send: messages, everyMs: 0 })
  await fleet.until('Sending', () => fleet.sum('waiting') > 0)
  await fleet.allStored()
  const acknowledged = performance.now() - start
  const after = await times()
  while ((await count()) - before < total) {
    if (performance.now() - start > 300_000) throw new Error('Not all messages were stored.')
    await pause(20)
  }
  const stored = performance.now() - start
  await fleet.stop()
  await gateway.stop()
  const load = after[0] - ofLoad
  const each = (ms: number) => `${((ms * 1000) / total).toFixed(0)} µs`
  const perSecond = (ms: number) => total / (ms / 1000)
  return {
    rate: perSecond(acknowledged),
    storedRate: perSecond(stored),
    apart: perSecond(acknowledged - load / availableParallelism()),
    note: `processor time of a message: gateway ${each(after[1] - ofGateway)}, load ${each(load)}${runner ? `, runner ${each(after[2] - ofRunner)}` : ''}`,
  }
}

/** Writing to the stream through the gateway's code, compared with writing to it directly. */
async function measureStream(url: string, bench: BenchContext): Promise<Row[]> {
  const { batches } = sizes(bench.isQuick)
  const address = readStreamAddress({ NATS_URL: url })
  if (!address) throw new Error('There is no address.')
  const stream = openStream(address, { warn: console.warn })
  bench.atEnd(stream.close)
  while (
    !(await stream.ping().then(
      () => true,
      () => false,
    ))
  )
    await pause(50)
  // No message here precedes its hello.
  const sink = openIntakeStream({ stream, db: undefined as unknown as MapleDb, now: Date.now })
  let own = 0
  let bare = 0
  for (let batch = 0; batch <= batches; batch += 1) {
    const given = messagesOf(batch)
    const took = [
      await timed(async () => {
        const answers = await sink.store(given)
        if (answers.some((answer) => answer !== true)) throw new Error('It was not stored.')
      }),
      await timed(() => publishBare(given)),
    ] as const
    // The first batch is a warm-up.
    if (batch === 0) continue
    own += took[0]
    bare += took[1]
    if (batch % 10 === 0) await drain()
  }
  await drain()

  async function publishBare(given: readonly GivenMessage[]) {
    const parts = Array.from({ length: partitions }, (): GivenMessage[] => [])
    for (const each of given) parts[partitionOf(each.deviceId)]?.push(each)
    await Promise.all(
      parts.map((part, at) => stream.publish(at, JSON.stringify({ at: 1, given: part }))),
    )
  }
  async function drain() {
    for (let partition = 0; partition < partitions; partition += 1) {
      const claimed = await stream.claim(partition)
      if (!claimed) throw new Error('Somebody else reads the stream.')
      for (
        let taken = await claimed.take();
        taken && taken.length > 0;
        taken = await claimed.take()
      )
        for (const each of taken) each.acknowledge()
      await claimed.release()
    }
  }
  const perSecond = (ms: number) => Math.round((batches * batchRows) / (ms / 1000))
  return [
    row('intake into the stream against the stream alone', (bare / own) * 100, '%', {
      budget: { atLeast: 90 },
      note: `${perSecond(own)} messages a second against ${perSecond(bare)}`,
    }),
  ]
}

const messagesOf = (batch: number): GivenMessage[] =>
  Array.from({ length: batchRows }, (_, at) => {
    const place = batch * batchRows + at
    const d = { temperature: 20 + (place % 100) / 10, humidity: 40 + (place % 37) }
    return {
      deviceId: deviceOf(place % 10_000),
      message: { t: 'telemetry', boot: 'bench', seq: place + 1, ts: Date.now(), d },
    }
  })
