// Many agents in one process, each the agent of one device: they connect to the given address and
// report what became of them.
import { createHash } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { runAgent, sleep } from '../../../packages/device-agent/src/agent.ts'
import { openOutbox } from '../../../packages/device-agent/src/outbox.ts'

export type FleetOrder =
  /** Each agent sends so many messages, `everyMs` apart, beginning at any moment of that time. */
  { send: number; everyMs: number }

export interface FleetReport {
  connected: number
  /** Messages that are not acknowledged. */
  waiting: number
  /** Attempts to connect that failed, or connections that ended. */
  ends: number
}

export type FleetMessage =
  | { report: FleetReport }
  /** The connection of this device ended as the platform wanted it to, at this moment. */
  | { changed: number; at: number }
  /** A command came to a device. */
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

  process.on('message', ({ send, everyMs }: FleetOrder) => {
    for (const { outbox, flush } of agents)
      void (async () => {
        await sleep(Math.random() * everyMs, signal)
        for (let sent = 0; sent < send; sent++) {
          outbox.add('event', { temperature: 21.5, place: sent }, Date.now())
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

// Imported for the names of the devices too.
if (process.send && process.argv[1]?.endsWith('agent-fleet.ts')) main(process.argv.slice(2))
