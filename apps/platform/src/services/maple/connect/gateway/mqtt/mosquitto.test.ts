import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { gatewayWorld, type GatewayWorld } from '../testing/gateway-world.ts'

const run = promisify(execFile)
const has = existsSync('/usr/bin/mosquitto_pub') && existsSync('/usr/bin/mosquitto_rr')
const needs = '(needs mosquitto-clients)'
const versions = ['311', '5']

let world: GatewayWorld
beforeAll(async () => {
  if (has) world = await gatewayWorld({ limits: { helloMs: 2000 } })
})
afterAll(() => world?.close())

const to = (secret: string, version: string) => [
  '-h',
  '127.0.0.1',
  '-p',
  String(world.mqttPort),
  '-V',
  `mqttv${version}`,
  '-u',
  'anything',
  '-P',
  secret,
]
const hello = '{"t":"hello","v":1,"boot":"boot-1","agent":"mosquitto"}'

/** Publishes each line, and ends when all are confirmed. */
async function publish(secret: string, version: string, lines: string[]) {
  const child = spawn('mosquitto_pub', [...to(secret, version), '-q', '1', '-t', 'd/me/up', '-l'])
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  child.stdin.end(lines.map((line) => `${line}\n`).join(''))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, said }
}

test.skipIf(!has).for(versions)(
  `mosquitto_pub stores events by MQTT %s ${needs}`,
  async (version) => {
    const { id, secret } = await world.device()
    const event = (n: number) => `{"t":"event","boot":"boot-1","seq":${n},"d":{"n":${n}}}`
    const lines = [hello, ...Array.from({ length: 100 }, (_, n) => event(n + 1))]
    expect(await publish(secret, version, lines)).toEqual({ code: 0, said: '' })
    // Everything was confirmed, so everything is stored.
    const { body } = await world.ask('GET', `device/connection?deviceId=${id}`)
    expect(body).toMatchObject({ agent: 'mosquitto', lost: 0 })
    expect(body.messages[0]).toMatchObject({ seq: 100, data: { n: 100 } })
    await vi.waitFor(async () => expect(await world.stateOf(id)).toBe('offline'))
  },
)

test.skipIf(!has).for(versions)(`mosquitto_rr is welcomed by MQTT %s ${needs}`, async (version) => {
  const { id, secret } = await world.device()
  const { stdout } = await run('mosquitto_rr', [
    ...to(secret, version),
    '-q',
    '1',
    '-t',
    `d/${id}/up`,
    '-e',
    `d/${id}/down`,
    '-m',
    hello,
    '-W',
    '10',
  ])
  expect(JSON.parse(stdout)).toMatchObject({ t: 'welcome', device: id, seq: 0 })
})

test.skipIf(!has).for(versions)(
  `mosquitto_sub receives only its own device’s messages, by MQTT %s ${needs}`,
  async (version) => {
    const [{ id, secret }, other] = [await world.device(), await world.device()]
    // It sends no hello, so it is closed after a moment.
    const heard = await run('mosquitto_sub', [
      ...to(secret, version),
      '-q',
      '1',
      '-t',
      `d/${id}/down`,
      '-C',
      '1',
      '-W',
      '10',
    ])
    expect(JSON.parse(heard.stdout)).toMatchObject({ t: 'bye', code: 'silent' })
    for (const filter of ['#', 'd/+/down', `d/${other.id}/down`, '$SYS/#']) {
      const denied = await run('mosquitto_sub', [
        ...to(secret, version),
        '-t',
        filter,
        '-C',
        '1',
        '-W',
        '10',
      ])
      expect(denied).toMatchObject({ stdout: '', stderr: expect.stringMatching(/denied/i) })
    }
  },
)

test.skipIf(!has)(`a wrong secret keeps mosquitto_pub out ${needs}`, async () => {
  for (const version of versions) {
    const { code, said } = await publish('A'.repeat(43), version, [hello])
    expect(code).not.toBe(0)
    expect(said).toMatch(/refused|not authori[sz]ed|bad user ?name/i)
  }
})
