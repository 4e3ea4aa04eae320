import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { getData } from '@grove/secure-element/host/commands'
import type { SeTransport } from '@grove/secure-element/host/transport'
import type { KeySource } from '@grove/secure-element/secure-channel/key-source'
import {
  elementSession,
  type LiveSession,
} from '../../apps/platform/src/services/maple/card/session/element-session.ts'
import { openSessionHub } from '../../apps/platform/src/services/maple/card/session/session-hub.ts'
import { sessionLog } from '../../apps/platform/src/services/maple/card/session/session-log.ts'
import { insertSession } from '../../apps/platform/src/services/maple/card/session/session.queries.ts'
import { row, type Benchmark } from './benchmark.ts'
import { batchHow, batchRow } from './script-batch.ts'
import { openMapleDatabase } from './support/session-database.ts'
import { median, percentile } from './support/statistics.ts'

const sessions = 200
const latencyMs = 50
const reply = Uint8Array.from([...new Uint8Array(64).fill(0xaa), 0x90, 0x00])

export const sessionBenchmark: Benchmark = {
  name: 'sessions',
  title: 'Sessions with secure elements',
  how: `${sessions} sessions at once in one process, each sending one command after another over a transport that takes ${latencyMs} ms, with PostgreSQL on the same machine, which does not wait for its disk. What Grove adds to an exchange is the time of \`send\` without that of the transport: storing the command before its bytes go out, and its reply. The channel's own work is measured by \`scp\`. ${batchHow}`,
  run: async (bench) => {
    const db = await openMapleDatabase(bench)
    const hub = openSessionHub({ db, now: Date.now }, { isAlone: false })
    bench.atEnd(hub.close)
    const day = new Date().toISOString().slice(0, 10)
    await hub.prepare(day)
    const rounds = bench.isQuick ? 20 : 400
    const added: number[] = []

    async function start(
      transport: SeTransport,
      keys: KeySource = () => Promise.reject(new Error('No channel is opened.')),
    ): Promise<LiveSession> {
      const id = randomUUID()
      const cplc = `SESSION-${id}`
      await insertSession(db, {
        id,
        cplc,
        serviceId: null,
        deviceId: null,
        purpose: 'program',
        transport: 'virtual',
        openedBy: null,
        heldBy: null,
        replayOf: null,
        day,
        processId: hub.processId,
      })
      const log = sessionLog({
        sessionId: id,
        day,
        transport: { ...transport, kind: 'virtual', close: async () => {} },
        writer: hub.writer,
        now: Date.now,
      })
      return elementSession({
        id,
        cplc,
        purpose: 'program',
        log,
        now: Date.now,
        keysFor: async () => keys,
        isBlocked: async () => false,
        onChannel: async () => {},
        onWrongKeys: async () => undefined,
        onEnd: async () => {},
      })
    }

    async function open(): Promise<LiveSession & { passed: () => number }> {
      let passed = 0
      const session = await start({
        async transmit() {
          const from = performance.now()
          await wait(latencyMs)
          passed = performance.now() - from
          return reply
        },
      })
      return { ...session, passed: () => passed }
    }

    async function drive(session: LiveSession & { passed: () => number }): Promise<void> {
      // They do not all start at once.
      await wait(Math.random() * latencyMs)
      for (let round = 0; round < rounds; round += 1) {
        const start = performance.now()
        await session.send(getData({ tag: '9F7F' }))
        // The first rounds run cold code and open connections.
        if (round >= 5) added.push(performance.now() - start - session.passed())
      }
      await session.flush()
    }

    const opened = await Promise.all(Array.from({ length: sessions }, open))
    const begun = performance.now()
    await Promise.all(opened.map(drive))
    const rate = (sessions * rounds) / ((performance.now() - begun) / 1000)
    return {
      rows: [
        row('added to an exchange, p99', percentile(added, 0.99), 'ms', {
          budget: { atMost: 10 },
          note: `median ${median(added).toFixed(2)} ms; ${Math.round(rate)} exchanges a second`,
        }),
        await batchRow(start, bench),
      ],
    }
  },
}
