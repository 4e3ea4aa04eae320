import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type MqttClient } from 'mqtt'
import { expect, test, vi } from 'vitest'
import { readToDevice, type FromDevice, type ToDevice } from '@grove/device-protocol/message'
import { startAgent } from '../testing/run-agent.ts'

type OnFinished = (stop: () => void | Promise<void>) => void

/** Runs the check on a device that speaks only MQTT; returns its output. */
async function startCheck(onFinished: OnFinished) {
  const check = startAgent('main.ts', [
    'check',
    '--listen',
    '0',
    '--listen-mqtt',
    '0',
    '--patience',
    '5',
  ])
  onFinished(() => check.stop())
  const waiting = { timeout: 30_000, interval: 50 }
  await vi.waitFor(() => expect(check.said.text).toContain('mqtt://'), waiting)
  const url = /mqtt:\/\/[\d.]+:\d+/.exec(check.said.text)?.[0] ?? ''
  return {
    url,
    lines: async () => {
      const [code] = await check.ended
      const lines = check.said.text.split('\n')
      return { code, lines, failed: lines.filter((line) => line.startsWith('FAIL')) }
    },
  }
}

/** A device as a third party might write it with mqtt.js, following the whole protocol. */
function rightDevice(url: string, protocolVersion: 4 | 5, qos: 0 | 1) {
  const boot = 'b1'
  let stored = 0
  let last = 0
  let sentUpTo = 0
  let window = 0
  const ending = new AbortController()
  const kept = new Map<number, object>()
  const results = new Map<string, object>()
  let client: MqttClient | undefined
  const say = (message: object) => client?.publish('d/me/up', JSON.stringify(message), { qos })
  const flush = () => {
    const upTo = Math.min(last, stored + window)
    while (sentUpTo < upTo) {
      sentUpTo++
      const message = kept.get(sentUpTo)
      if (message) say(message)
    }
  }
  const add = (message: object) => {
    last++
    kept.set(last, { ...message, boot, seq: last })
    flush()
  }
  const handle = (message: ToDevice, end: () => void, wait: (ms: number) => void) => {
    if (message.t === 'welcome' || message.t === 'ack') {
      stored = Math.max(stored, message.seq)
      if (message.t === 'welcome') [sentUpTo, window] = [stored, message.window]
      flush()
    } else if (message.t === 'command') {
      const { id } = message
      if (!results.has(id)) results.set(id, { t: 'result', id, ok: true, d: { n: results.size } })
      add(results.get(id) ?? {})
    } else if (message.t === 'desired')
      add({ t: 'reported', version: message.version, d: message.d })
    else if (message.t === 'exchange') say({ t: 'failed', id: message.id, code: 'absent' })
    else if (message.t === 'bye') {
      wait(message.retryIn)
      end()
    }
  }
  const connectOnce = () =>
    new Promise<number | 'never'>((resolve) => {
      let retryIn = 100
      let isNever = false
      const opened = connect(url, {
        protocolVersion,
        password: secret,
        username: 'any',
        reconnectPeriod: 0,
      })
      client = opened
      window = 0
      opened.on('packetreceive', (packet) => {
        if (packet.cmd !== 'connack') return
        isNever = packet.reasonCode === 134 || packet.returnCode === 4
        retryIn = Number(packet.properties?.userProperties?.['retryIn']) || retryIn
      })
      opened.on('error', () => {})
      opened.on('connect', () =>
        opened.subscribe('d/me/down', { qos }, () =>
          say({ t: 'hello', v: 1, boot } satisfies FromDevice),
        ),
      )
      opened.on('message', (_, payload) => {
        const message = readToDevice(payload.toString())
        if (message)
          handle(
            message,
            () => opened.end(),
            (ms) => (retryIn = ms),
          )
      })
      opened.once('close', () => resolve(isNever ? 'never' : retryIn))
    })
  const timer = setInterval(() => add({ t: 'telemetry', d: { n: last } }), 100)
  const run = async () => {
    while (!ending.signal.aborted) {
      const wait = await connectOnce()
      if (wait === 'never') return
      await sleep(wait + 20)
    }
  }
  void run()
  return () => {
    ending.abort()
    clearInterval(timer)
    client?.end(true)
  }
}
const secret = randomBytes(32).toString('base64url')

test.concurrent.for([
  [4, 0, 'MQTT 3.1.1'],
  [5, 1, 'MQTT 5'],
] as const)(
  'a device with MQTT version %s and QoS %s passes each step of the check',
  { timeout: 90_000 },
  async ([version, qos, name], { expect, onTestFinished }) => {
    const { url, lines } = await startCheck(onTestFinished)
    onTestFinished(rightDevice(url, version, qos))
    const { code, lines: said, failed } = await lines()
    expect(failed).toEqual([])
    expect(said).toContain(`      It speaks ${name}.`)
    expect(said.filter((line) => line.startsWith('ok'))).toHaveLength(15)
    expect(code).toBe(0)
  },
)

test.concurrent(
  'a device with its own use of MQTT is told in sentences what is wrong',
  { timeout: 120_000 },
  async ({ expect, onTestFinished }) => {
    const { url, lines } = await startCheck(onTestFinished)
    let isOver = false
    onTestFinished(() => void (isOver = true))
    const once = () => {
      const client = connect(url, {
        protocolVersion: 5,
        username: 'any',
        password: 'short',
        reconnectPeriod: 0,
      })
      client.on('error', () => {})
      client.on('connect', () => {
        client.publish('d/me/up', '{"t":"hello","v":1,"boot":"b"}', { retain: true })
        client.publish('devices/pump-7', '21.5')
        client.subscribe('#')
        client.subscribe('d/me/down')
        for (let seq = 1; seq <= 20; seq++)
          client.publish('d/me/up', JSON.stringify({ t: 'event', boot: 'b', seq, d: 1 }))
      })
      // It waits for nothing.
      client.once('close', () => !isOver && setTimeout(once, 20))
    }
    once()
    const { code, lines: said, failed } = await lines()
    expect(code).toBe(1)
    const text = said.join('\n')
    for (const about of [
      'The password of CONNECT should be the secret: 43 characters of base64url.',
      'It said hello before it subscribed to d/me/down: the welcome would be lost.',
      'It published to devices/pump-7, and should to d/me/up.',
      'It published a retained message: Grove keeps none.',
      'It subscribed to #, and should to d/me/down alone.',
    ])
      expect(text).toContain(about)
    for (const about of ['retryIn 2000', 'wait for their ack', 'sends again', 'CONNACK 134'])
      expect(failed.join('\n')).toContain(about)
  },
)
