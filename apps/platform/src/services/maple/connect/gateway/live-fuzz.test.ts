import { once } from 'node:events'
import { connect as connectPlain, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { connect as connectSecure } from 'node:tls'
import * as fc from 'fast-check'
import { sql } from 'kysely'
import { connectAsync } from 'mqtt'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { deviceSocketPath, mqttSocketPath } from '@grove/device-protocol/limits'
import { livePlatform, type LivePlatform } from './testing/live-platform.ts'
import { attack, type Attack } from './testing/mutations.ts'
import { connectPacket } from './testing/mqtt-device.ts'
import { hasOpenssl, needs, openCertificates } from './testing/openssl.ts'
import { generate } from 'mqtt-packet'

const isWhole = process.env['GROVE_TESTS'] === 'all'
const fuzzMs = isWhole ? 600_000 : 8000
const atOnce = 8
/** Time for an answer; most invalid input is answered by closing the connection. */
const answerMs = 100
const helloText = '{"t":"hello","v":1,"boot":"fuzz"}'

// Against a separate process, since the goal is to crash it.
describe.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')('a gateway under fuzz', () => {
  let platform: LivePlatform
  let made: ReturnType<typeof openCertificates>
  beforeAll(async () => {
    if (!hasOpenssl) return
    made = openCertificates()
    const { cert, key } = made.makeRoot('localhost', {
      extensions: ['subjectAltName=DNS:localhost'],
    })
    platform = await livePlatform({ certificate: cert, key })
  }, 180_000)
  afterAll(async () => {
    await platform?.close()
    made?.close()
  }, 60_000)

  const webSocket = (path: string, protocols: string[], headers = {}) =>
    new WebSocket(`ws://${platform.address}${path}`, protocols, { headers })

  /** A well-behaved device that records what it notices. */
  async function goodByMqtt(protocolVersion: 4 | 5, isWeb: boolean) {
    const { id, secret } = await platform.device()
    const url = isWeb
      ? `ws://${platform.address}${mqttSocketPath}`
      : `mqtt://127.0.0.1:${platform.mqttPort}`
    const client = await connectAsync(url, {
      protocolVersion,
      username: 'anything',
      password: secret,
      reconnectPeriod: 0,
    })
    const noticed: string[] = []
    client.on('close', () => noticed.push('its connection ended'))
    client.on('error', ({ message }) => noticed.push(message))
    const say = (message: object) =>
      client.publishAsync('d/me/up', JSON.stringify(message), { qos: 1 })
    await say({ t: 'hello', v: 1, boot: 'good' })
    let seq = 0
    return {
      id,
      noticed,
      sent: () => seq,
      say: async () => void (await say({ t: 'event', boot: 'good', seq: ++seq, d: seq })),
      end: () => client.end(true),
    }
  }

  async function goodByJson() {
    const { id, secret } = await platform.device()
    const socket = webSocket(deviceSocketPath, [], { authorization: `Bearer ${secret}` })
    const noticed: string[] = []
    socket.on('close', () => noticed.push('its connection ended'))
    socket.on('error', ({ message }) => noticed.push(message))
    await once(socket, 'open')
    socket.send('{"t":"hello","v":1,"boot":"good"}')
    await once(socket, 'message')
    let seq = 0
    return {
      id,
      noticed,
      sent: () => seq,
      async say() {
        const acked = once(socket, 'message')
        socket.send(JSON.stringify({ t: 'event', boot: 'good', seq: ++seq, d: seq }))
        await acked
      },
      end: () => socket.terminate(),
    }
  }

  type Secrets = Record<'accepted' | 'quarantined', string[]>

  /** Sends an attack; the effects are for the good devices to notice. */
  async function run({ way, says }: Attack, secret: string) {
    const isJson = way.carrier === 'json'
    if (isJson || way.carrier === 'web socket') {
      const socket = isJson
        ? webSocket(deviceSocketPath, [], { authorization: `Bearer ${secret}` })
        : webSocket(mqttSocketPath, ['mqtt'])
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
      socket.on('error', () => {})
      await Promise.race([once(socket, 'open').catch(() => {}), closed])
      const send = (data: string | Buffer) =>
        socket.readyState === WebSocket.OPEN && socket.send(data)
      const heard = () =>
        Promise.race([once(socket, 'message').catch(() => {}), closed, setTimeout(answerMs)])
      await begin(way, { isJson, secret, send, heard })
      for (const each of says) send(each)
      await Promise.race([closed, setTimeout(answerMs)])
      if (way.isReset) socket.terminate()
      else socket.close()
      await Promise.race([closed, setTimeout(answerMs)])
      return socket.terminate()
    }
    const socket: Socket =
      way.carrier === 'tls'
        ? connectSecure({ host: '127.0.0.1', port: platform.tlsPort, rejectUnauthorized: false })
        : connectPlain(platform.mqttPort, '127.0.0.1')
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    socket.on('error', () => {})
    const ready = way.carrier === 'tls' ? 'secureConnect' : 'connect'
    await Promise.race([once(socket, ready).catch(() => {}), closed])
    const send = (data: string | Buffer) => void (socket.writable && socket.write(data))
    const heard = () =>
      Promise.race([once(socket, 'data').catch(() => {}), closed, setTimeout(answerMs)])
    await begin(way, { isJson, secret, send, heard })
    socket.resume()
    for (const each of says) send(each)
    await Promise.race([closed, setTimeout(answerMs)])
    if (way.isReset && way.carrier !== 'tls') socket.resetAndDestroy()
    else socket.destroy()
  }

  interface Talk {
    isJson: boolean
    secret: string
    send: (data: string | Buffer) => unknown
    heard: () => Promise<unknown>
  }

  async function begin({ version, stage }: Attack['way'], { isJson, secret, send, heard }: Talk) {
    if (stage === 'at once') return
    if (!isJson) {
      const connected = heard()
      send(connectPacket(secret, version))
      await connected
    }
    if (stage === 'connected') return
    const greeted = heard()
    send(
      isJson
        ? helloText
        : generate(
            {
              cmd: 'publish',
              topic: 'd/me/up',
              payload: helloText,
              qos: 1,
              messageId: 9,
              dup: false,
              retain: false,
            },
            { protocolVersion: version },
          ),
    )
    await greeted
  }

  const countConnections = async () => {
    const { rows } = await sql<{ load: Record<string, number> }>`
      select load from maple.gateway`.execute(platform.db)
    return rows.flatMap(({ load }) => Object.values(load)).reduce((a, b) => a + b, 0)
  }

  test.skipIf(!hasOpenssl)(
    `good devices are not affected by mutated packets over each carrier ${needs}`,
    async () => {
      const good = [
        await goodByMqtt(4, false),
        await goodByMqtt(5, false),
        await goodByMqtt(5, true),
        await goodByJson(),
      ]
      const secrets: Secrets = { accepted: [], quarantined: [] }
      for (let n = 0; n < atOnce; n++)
        for (const state of ['accepted', 'quarantined'] as const)
          secrets[state].push((await platform.device(state)).secret)
      const seed = Number(process.env['GROVE_FUZZ_SEED'] ?? Date.now() % 2 ** 31)
      const hint = `repeat with GROVE_FUZZ_SEED=${seed}`
      const until = performance.now() + fuzzMs
      let attacks = 0
      const isOver = () => performance.now() > until || !platform.isAlive()
      const attackers = Array.from({ length: atOnce }, async (_, index) => {
        for (let round = 0; !isOver(); round++) {
          const found = fc.sample(attack, { seed: seed + index + round * atOnce, numRuns: 20 })
          for (const each of found) {
            if (isOver()) break
            const kind = each.way.isHeld ? 'quarantined' : 'accepted'
            await run(each, secrets[kind][index] ?? '')
            attacks++
          }
        }
      })
      const saying = good.map(async (device) => {
        while (!isOver() && device.noticed.length === 0) {
          await Promise.race([device.say(), setTimeout(30_000)])
          await setTimeout(30)
        }
      })
      await Promise.all([...attackers, ...saying])
      expect(platform.isAlive(), `${hint}\n${platform.output().slice(-3000)}`).toBe(true)
      expect(platform.output()).not.toMatch(/ended by a fault of the server/)
      expect(attacks).toBeGreaterThan(atOnce)
      for (const device of good) {
        expect(device.noticed, hint).toEqual([])
        const { rows } = await sql<{ seq: number }>`
          select seq::int as seq from maple.device_message
          where device_id = ${device.id} order by seq`.execute(platform.db)
        expect(rows.map(({ seq }) => seq)).toEqual(
          Array.from({ length: device.sent() }, (_, n) => n + 1),
        )
      }
      // Every attacked connection is gone, and its slot is free.
      await vi.waitFor(async () => expect(await countConnections(), hint).toBe(good.length), {
        timeout: 30_000,
        interval: 200,
      })
      for (const device of good) device.end()
    },
    fuzzMs + 240_000,
  )
})
