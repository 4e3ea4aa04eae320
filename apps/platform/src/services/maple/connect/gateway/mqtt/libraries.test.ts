import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { connect } from 'mqtt'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { livePlatform, type LivePlatform } from '../testing/live-platform.ts'

const paho = fileURLToPath(new URL('../testing/paho-publisher.py', import.meta.url))
const python = '/usr/bin/python3'
const hasPaho = spawnSync(python, ['-c', 'import paho.mqtt.client']).status === 0
const versions = [4, 5] as const
const count = 100
const kills = process.env['GROVE_TESTS'] === 'all' ? 5 : 1
const waiting = { timeout: 90_000, interval: 100 }

// The libraries themselves reconnect and resend unconfirmed messages. The embedded database has one
// process, which would be killed with it.
describe.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')('libraries of MQTT', () => {
  let platform: LivePlatform
  const ends: (() => unknown)[] = []
  beforeAll(async () => {
    platform = await livePlatform()
  }, 180_000)
  afterAll(async () => {
    for (const end of ends) end()
    await platform?.close()
  }, 60_000)

  /** mqtt.js as a program uses it that only publishes: hello with each connection, then events. */
  function publishByMqttJs(secret: string, protocolVersion: 4 | 5) {
    const confirmed: number[] = []
    const client = connect(`mqtt://127.0.0.1:${platform.mqttPort}`, {
      protocolVersion,
      username: 'anything',
      password: secret,
      reconnectPeriod: 300,
    })
    ends.push(() => client.end(true))
    client.on('error', () => {})
    const publish = (message: object, onDone: (error?: Error) => void) =>
      client.publish('d/me/up', JSON.stringify(message), { qos: 1 }, onDone)
    client.on('connect', () => publish({ t: 'hello', v: 1, boot: 'js' }, () => {}))
    const done = (async () => {
      for (let seq = 1; seq <= count; seq++) {
        publish({ t: 'event', boot: 'js', seq, d: seq }, (error) => {
          if (!error) confirmed.push(seq)
        })
        await setTimeout(20)
      }
    })()
    return { confirmed, done }
  }

  function publishByPaho(secret: string, version: 4 | 5) {
    const confirmed: number[] = []
    const child = spawn(python, [paho, String(platform.mqttPort), secret, `${version}`, `${count}`])
    ends.push(() => child.kill())
    createInterface(child.stdout).on('line', (line) => confirmed.push(Number(line)))
    return { confirmed, done: once(child, 'close').then(() => undefined) }
  }

  async function storedOf(id: string) {
    const { rows } = await sql<{ seq: number }>`
      select seq::int as seq from maple.device_message where device_id = ${id}`.execute(platform.db)
    return rows.map(({ seq }) => seq).toSorted((a, b) => a - b)
  }

  const everything = Array.from({ length: count }, (_, n) => n + 1)

  async function survives(publisher: typeof publishByMqttJs) {
    const all = await Promise.all(
      versions.map(async (version) => {
        const { id, secret } = await platform.device()
        return { id, version, ...publisher(secret, version) }
      }),
    )
    for (let kill = 1; kill <= kills; kill++) {
      const least = (kill * count) / (2 * kills)
      await vi.waitFor(() => {
        for (const { confirmed } of all) expect(confirmed.length).toBeGreaterThan(least)
      }, waiting)
      await platform.kill()
      const before = await Promise.all(all.map(({ id }) => storedOf(id)))
      for (const [index, { confirmed }] of all.entries())
        expect(before[index]).toEqual(expect.arrayContaining(confirmed))
      await platform.start()
    }
    await Promise.all(all.map(({ done }) => done))
    for (const { id, version, confirmed } of all) {
      await vi.waitFor(() => expect(confirmed).toHaveLength(count), waiting)
      expect({ version, stored: await storedOf(id) }).toEqual({ version, stored: everything })
    }
  }

  test(
    'mqtt.js reconnects after kill -9, and nothing is lost or duplicated',
    () => survives(publishByMqttJs),
    240_000,
  )

  test.skipIf(!hasPaho)(
    'paho reconnects after kill -9, and nothing is lost or duplicated (needs python3-paho-mqtt)',
    () => survives(publishByPaho),
    240_000,
  )
})
