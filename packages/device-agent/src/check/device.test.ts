import { spawnSync } from 'node:child_process'
import { setMaxListeners } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { test } from 'vitest'
import { deviceSocketPath } from '@grove/device-protocol/limits'
import { DeviceRefused, runAgent, type Agent, type AgentOptions } from '../agent.ts'
import { memoryOfProcess } from '../command-station.ts'
import { deviceWork } from '../device-work.ts'
import { claim, newIdentity } from '../identity.ts'
import { openOutbox } from '../outbox.ts'
import { checkDevice } from './device.ts'
import type { ServerKeys } from './server-keys.ts'
import { stepRunner } from './steps.ts'

/** Tests run concurrently: each ends only what it started. */
type OnFinished = (end: () => void) => void

function endOf(onFinished: OnFinished): AbortSignal {
  const ending = new AbortController()
  setMaxListeners(0, ending.signal)
  onFinished(() => ending.abort())
  return ending.signal
}

/** The reference agent, sending ten messages a second. */
function run(
  given: Pick<AgentOptions, 'platform' | 'mqtt' | 'secret' | 'keys'>,
  onFinished: OnFinished,
) {
  const outbox = openOutbox()
  const agent: Agent = runAgent({
    ...given,
    outbox,
    elements: () => [],
    firmware: '1.0.0',
    say: () => {},
    signal: endOf(onFinished),
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
  onFinished(() => clearInterval(timer))
  return agent
}

type Start = (platform: string, code: string, mqtt: string) => void

/** The output of a check of the device that `start` starts. */
async function checked(
  start: Start,
  { tls, patience = 10 }: { tls?: ServerKeys; patience?: number } = {},
) {
  const s = tls ? 's' : ''
  const lines: string[] = []
  const runner = stepRunner((line) => lines.push(line))
  await checkDevice(
    {
      port: 0,
      host: '127.0.0.1',
      patience,
      mqttPort: 0,
      tls,
      onListen: (port, code, mqttPort) =>
        start(`http${s}://127.0.0.1:${port}`, code, `mqtt${s}://127.0.0.1:${mqttPort}`),
    },
    runner,
  )
  return { lines, code: runner.end() }
}

test.concurrent.for([
  ['a WebSocket', 18],
  ['MQTT', 18],
] as const)(
  'the reference agent passes each step by %s',
  { timeout: 60_000 },
  async ([way, steps], { expect, onTestFinished }) => {
    const { lines, code } = await checked((platform, given, mqtt) => {
      void (async () => {
        const identity = newIdentity('checked')
        const asked = { code: given }
        await claim(platform, identity, asked).catch(() => claim(platform, identity, asked))
        const more = { secret: identity.secret, mqtt: way === 'MQTT' ? mqtt : undefined }
        const agent = run({ platform, ...more }, onTestFinished)
        await agent.ended.catch((error: unknown) => expect(error).toBeInstanceOf(DeviceRefused))
      })()
    })
    expect(lines.filter((line) => line.startsWith('FAIL'))).toEqual([])
    expect(lines.filter((line) => line.startsWith('ok'))).toHaveLength(steps)
    expect(code).toBe(0)
  },
)

test.concurrent(
  'a hasty and forgetful device fails the steps about that',
  { timeout: 60_000 },
  async ({ expect, onTestFinished }) => {
    let isOver = false
    onTestFinished(() => void (isOver = true))
    const { lines, code } = await checked(
      (platform) => {
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
      },
      { patience: 4 },
    )
    const failed = lines.filter((line) => line.startsWith('FAIL')).join('\n')
    for (const about of ['Retry-After', 'wait for their ack', 'sends again', 'retryIn 3000', '401'])
      expect(failed).toContain(about)
    expect(code).toBe(1)
  },
)

const hasOpenssl = spawnSync('openssl', ['version']).status === 0

/** A key and a self-signed certificate. */
function selfSigned(folder: string, name: string): ServerKeys {
  const [key, cert] = ['key', 'crt'].map((end) => join(folder, `${name}.${end}`))
  const names = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', ...names]
  spawnSync('openssl', ['req', '-x509', ...made, '-keyout', key ?? '', '-out', cert ?? ''])
  return { cert: readFileSync(cert ?? ''), key: readFileSync(key ?? '') }
}

test.skipIf(!hasOpenssl).concurrent.for([
  ['a WebSocket', 15],
  ['MQTT', 15],
] as const)(
  'a device with a certificate is checked by TLS and %s (needs openssl)',
  { timeout: 60_000 },
  async ([way, steps], { expect, onTestFinished }) => {
    const folder = mkdtempSync(join(tmpdir(), 'grove-check-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const [server, device] = [selfSigned(folder, 'server'), selfSigned(folder, 'pump-7')]
    const { lines, code } = await checked(
      (platform, _, mqtt) => {
        const more = {
          keys: { ...device, ca: server.cert },
          mqtt: way === 'MQTT' ? mqtt : undefined,
        }
        const agent = run({ platform, ...more }, onTestFinished)
        agent.ended.catch((error: unknown) => expect(error).toBeInstanceOf(DeviceRefused))
      },
      { tls: server },
    )
    expect(lines.filter((line) => line.startsWith('FAIL'))).toEqual([])
    expect(lines.filter((line) => line.includes('It shows a certificate'))).toHaveLength(1)
    expect(lines.filter((line) => line.startsWith('ok'))).toHaveLength(steps)
    expect(code).toBe(0)
  },
)
