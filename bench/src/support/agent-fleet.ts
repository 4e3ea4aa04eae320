// Many agents in one process, one per device: they connect to the given URL and report what happened.
import { createHash } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { runAgent, sleep } from '../../../packages/device-agent/src/agent.ts'
import { openOutbox } from '../../../packages/device-agent/src/outbox.ts'

export type FleetOrder =
  /** Each agent sends this many messages with two values, `everyMs` apart, at a random phase. */
  { send: number; everyMs: number; kind?: 'event' | 'telemetry' }

export interface FleetReport {
  connected: number
  /** Unacknowledged messages. */
  waiting: number
  /** Failed connection attempts, and lost connections. */
  ends: number
}

export type FleetMessage =
  | { report: FleetReport }
  /** The platform ended this device's connection at this time. */
  | { changed: number; at: number }
  /** A command reached a device. */
  | { command: string; at: number }

export const deviceOf = (index: number): string => `bench-${String(index).padStart(6, '0')}`
export const secretOf = (index: number): string =>
  createHash('sha256').update(`bench ${index}`).digest('base64url')

function main([platform = '', from = '0', count = '0', perSecond = '400', mqtt]: string[]): void {
  const ending = new AbortController()
  const { signal } = ending
  setMaxListeners(0, signal)
  const report: FleetReport = { connected: 0, waiting: 0, ends: 0 }
  const tell = (message: FleetMessage) => process.send?.(message)
  const total = Number(count)

  const agents = Array.from({ length: total }, (_, place) => {
    const index = Number(from) + place
    const outbox = openOutbox()
    let isConnected = false
    let flush = () => {}
    const run = async () => {
      await sleep((Math.random() * 1.2 * total * 1000) / Number(perSecond), signal)
      const agent = runAgent({
        platform,
        mqtt,
        secret: secretOf(index),
        outbox,
        elements: () => [],
        firmware: '1.0.0',
        signal,
        onCommand: ({ id }) => {
          tell({ command: id, at: Date.now() })
          outbox.add('result', null, Date.now(), { id, ok: true })
          flush()
        },
        onWelcome: () => {
          isConnected = true
          report.connected++
        },
        say: (line) => {
          if (!line.startsWith('The connection ended')) return
          report.ends++
          if (line.includes('says changed')) tell({ changed: index, at: Date.now() })
          if (isConnected) report.connected--
          isConnected = false
        },
      })
      flush = agent.flush
      await agent.ended
    }
    void run().catch((error: unknown) => {
      console.error(error)
      process.exit(1)
    })
    return { outbox, flush: () => flush() }
  })

  process.on('message', ({ send, everyMs, kind = 'event' }: FleetOrder) => {
    for (const { outbox, flush } of agents)
      void (async () => {
        await sleep(Math.random() * everyMs, signal)
        for (let sent = 0; sent < send; sent++) {
          outbox.add(kind, { temperature: 21.5, place: sent }, Date.now())
          flush()
          if (everyMs > 0) await sleep(everyMs, signal)
        }
      })()
  })
  setInterval(() => {
    report.waiting = agents.reduce((sum, { outbox }) => sum + outbox.size(), 0)
    tell({ report })
  }, 250)
  process.once('disconnect', () => process.exit(0))
}

// Imported also for the device names.
if (process.send && process.argv[1]?.endsWith('agent-fleet.ts')) main(process.argv.slice(2))
