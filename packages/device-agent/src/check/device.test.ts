import { setMaxListeners } from 'node:events'
import { WebSocket } from 'ws'
import { afterEach, expect, test } from 'vitest'
import { deviceSocketPath } from '@grove/device-protocol/limits'
import { DeviceRefused, runAgent } from '../agent.ts'
import { memoryOfProcess } from '../command-station.ts'
import { deviceWork } from '../device-work.ts'
import { claim, newIdentity } from '../identity.ts'
import { openOutbox } from '../outbox.ts'
import { checkDevice } from './device.ts'
import { stepRunner } from './steps.ts'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** The lines of a check of the device that `start` starts. */
async function checked(start: (platform: string, code: string, mqtt: string) => void) {
  const lines: string[] = []
  const runner = stepRunner((line) => lines.push(line))
  await checkDevice(
    {
      port: 0,
      host: '127.0.0.1',
      patience: 4,
      mqttPort: 0,
      onListen: (port, code, mqttPort) =>
        start(`http://127.0.0.1:${port}`, code, `mqtt://127.0.0.1:${mqttPort}`),
    },
    runner,
  )
  return { lines, code: runner.end() }
}

test.concurrent.each([
  ['a WebSocket', 18],
  ['MQTT', 18],
] as const)(
  'the reference agent passes each step by %s',
  { timeout: 60_000 },
  async (way, steps) => {
    const ending = new AbortController()
    setMaxListeners(0, ending.signal)
    ends.push(() => ending.abort())
    const { lines, code } = await checked((platform, given, mqtt) => {
      void (async () => {
        const identity = newIdentity('checked')
        const asked = { code: given }
        await claim(platform, identity, asked).catch(() => claim(platform, identity, asked))
        const outbox = openOutbox()
        const agent = runAgent({
          platform,
          mqtt: way === 'MQTT' ? mqtt : undefined,
          secret: identity.secret,
          outbox,
          elements: [],
          firmware: '1.0.0',
          say: () => {},
          signal: ending.signal,
          pause: () => 50,
          ...deviceWork({
            outbox,
            memory: memoryOfProcess(),
            flush: () => agent.flush(),
            report: () => {},
            setSeconds: () => {},
          }),
        })
        const timer = setInterval(() => {
          outbox.add('telemetry', { n: 1 }, Date.now())
          agent.flush()
        }, 100)
        ends.push(() => clearInterval(timer))
        await agent.ended.catch((error: unknown) => expect(error).toBeInstanceOf(DeviceRefused))
      })()
    })
    expect(lines.filter((line) => line.startsWith('FAIL'))).toEqual([])
    expect(lines.filter((line) => line.startsWith('ok'))).toHaveLength(steps)
    expect(code).toBe(0)
  },
)

test.concurrent(
  'a device that hurries and forgets fails the steps about that',
  { timeout: 60_000 },
  async () => {
    let isOver = false
    ends.push(() => (isOver = true))
    const { lines, code } = await checked((platform) => {
      const connect = () => {
        if (isOver) return
        const socket = new WebSocket(`${platform.replace('http', 'ws')}${deviceSocketPath}`, {
          headers: { authorization: `Bearer ${'A'.repeat(43)}` },
        })
        socket.on('error', () => {})
        // It waits for nothing, and begins at 1 each time.
        socket.once('close', () => setTimeout(connect, 10))
        socket.once('open', () => {
          socket.send('{"t":"hello","v":1,"boot":"same"}')
          for (let seq = 1; seq <= 20; seq++)
            socket.send(JSON.stringify({ t: 'event', boot: 'same', seq, d: seq }))
        })
      }
      connect()
    })
    const failed = lines.filter((line) => line.startsWith('FAIL')).join('\n')
    for (const about of ['Retry-After', 'wait for their ack', 'sends again', 'retryIn 3000', '401'])
      expect(failed).toContain(about)
    expect(code).toBe(1)
  },
)
