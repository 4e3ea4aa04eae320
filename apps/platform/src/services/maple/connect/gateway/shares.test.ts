import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectSecure } from 'node:tls'
import { generate } from 'mqtt-packet'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { WebSocket, type ClientOptions } from 'ws'
import { deviceSocketPath, mqttSocketPath } from '@grove/device-protocol/limits'
import { readConfig } from '../../../../core/config.ts'
import { gatewayWorld, type GatewayWorld } from './testing/gateway-world.ts'
import { hasOpenssl, needs, openCertificates } from './testing/openssl.ts'

// Hundreds of connections take long while other tests run.
vi.setConfig({ testTimeout: 120_000 })

/** All of 127/8 is this machine, so that a test has as many addresses as it wants. */
const [flooder, genuine] = ['127.0.0.2', '127.0.0.3']
const wrongSecret = () => randomBytes(32).toString('base64url')

const open: { destroy: () => void }[] = []
const worlds: { close: () => Promise<void> }[] = []
afterAll(() => vi.resetConfig())
afterEach(async () => {
  for (const each of open.splice(0)) each.destroy()
  for (const each of worlds.splice(0).toReversed()) await each.close()
})

async function newWorld(settings: Parameters<typeof gatewayWorld>[0] = {}) {
  const world = await gatewayWorld(settings)
  worlds.push(world)
  return world
}

function plain(port: number, localAddress: string): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  socket.on('error', () => {})
  open.push(socket)
  return socket
}

/** Whether a device with this secret is admitted; undefined if it is told to wait. */
type Attempt = (world: GatewayWorld, secret: string, from: string) => Promise<boolean | undefined>

function attempt(url: string, options: ClientOptions): Promise<boolean | undefined> {
  const socket = new WebSocket(url, options)
  open.push({ destroy: () => socket.terminate() })
  socket.on('error', () => {})
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(true))
    socket.once('close', () => resolve(undefined))
    socket.once('unexpected-response', (_, { statusCode = 0 }) => {
      if (statusCode === 401 || statusCode === 503) resolve(statusCode === 401 ? false : undefined)
      else reject(new Error(`The answer was ${statusCode}.`))
    })
  })
}

const byWebSocket: Attempt = ({ address }, secret, localAddress) =>
  attempt(`ws://${address}${deviceSocketPath}`, {
    localAddress,
    headers: { authorization: `Bearer ${secret}` },
  })

const connectPacket = (secret: string) =>
  generate({
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: 4,
    clean: true,
    clientId: 'any',
    username: 'any',
    password: Buffer.from(secret),
    keepalive: 60,
  })

const answerOf = (code: number | undefined) => (code === 0 ? true : code === 4 ? false : undefined)

const byMqtt: Attempt = async ({ mqttPort }, secret, from) => {
  const socket = plain(mqttPort, from)
  socket.write(connectPacket(secret))
  return new Promise((resolve) => {
    socket.once('data', (answer: Buffer) => resolve(answerOf(answer[3])))
    socket.once('close', () => resolve(undefined))
  })
}

const byMqttInWebSocket: Attempt = ({ address }, secret, localAddress) => {
  const socket = new WebSocket(`ws://${address}${mqttSocketPath}`, 'mqtt', { localAddress })
  open.push({ destroy: () => socket.terminate() })
  socket.on('error', () => {})
  socket.once('open', () => socket.send(connectPacket(secret)))
  return new Promise((resolve) => {
    socket.once('message', (answer: Buffer) => resolve(answerOf(answer[3])))
    socket.once('close', () => resolve(undefined))
  })
}

/** A number of attempts with wrong secrets, eight at once. */
async function flood(from: string, attempts: number, world: GatewayWorld, by: Attempt) {
  let left = attempts
  const told: (boolean | undefined)[] = []
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (left-- > 0) told.push(await by(world, wrongSecret(), from))
    }),
  )
  return told
}

const manyDevices = async (world: GatewayWorld, count: number) => {
  const made = []
  while (made.length < count) made.push((await world.device()).secret)
  return made
}

test.each<[string, Attempt]>([
  ['a WebSocket', byWebSocket],
  ['MQTT', byMqtt],
  ['MQTT in a WebSocket', byMqttInWebSocket],
])('wrong secrets of one address by %s keep no device of another out @long', async (_, by) => {
  const world = await newWorld({ admissionsPerSecond: 30, checksPerSecond: 4 })
  const secrets = await manyDevices(world, 10)
  // First, so that it has taken its share.
  const before = await flood(flooder, 40, world, by)
  // It is not checked while it ignores the delay, and none of it is admitted.
  expect(before).toContain(undefined)
  expect(before).not.toContain(true)
  const during = flood(flooder, 80, world, by)
  const admitted = []
  for (const secret of secrets) admitted.push(await by(world, secret, genuine))
  expect(admitted).toEqual(secrets.map(() => true))
  expect(await during).not.toContain(true)
})

test('behind a proxy the forwarded address counts, and a /64 of IPv6 is one @long', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'grove-proxy-'))
  worlds.push({ close: () => rm(folder, { recursive: true, force: true }) })
  const world = await newWorld({
    admissionsPerSecond: 30,
    checksPerSecond: 4,
    config: readConfig({
      GROVE_DATA: folder,
      GROVE_LOG: 'silent',
      GROVE_CHANGES_PER_MINUTE: '0',
      GROVE_TRUST_PROXY: 'on',
    }),
  })
  const secrets = await manyDevices(world, 10)
  const from = (secret: string, address: string) =>
    attempt(`ws://${world.address}${deviceSocketPath}`, {
      headers: { authorization: `Bearer ${secret}`, 'x-forwarded-for': `198.51.100.9, ${address}` },
    })
  let count = 0
  const anywhere: Attempt = (_, secret) => from(secret, `2001:db8:7:7::${(++count).toString(16)}`)
  expect(await flood('', 80, world, anywhere)).toContain(undefined)
  const during = flood('', 80, world, anywhere)
  for (const secret of secrets) expect(await from(secret, '2001:db8:7:8::1')).toBe(true)
  await during
})

test('one device that connects endlessly leaves others their admissions', async () => {
  const world = await newWorld({ admissionsPerSecond: 12 })
  const [looping = '', ...secrets] = await manyDevices(world, 6)
  const burst = () =>
    Promise.all(Array.from({ length: 40 }, () => byWebSocket(world, looping, flooder)))
  const told = await burst()
  expect(told).toContain(true)
  expect(told).toContain(undefined)
  const again = burst()
  // More than become free meanwhile.
  for (const secret of secrets) expect(await byWebSocket(world, secret, genuine)).toBe(true)
  await again
})

test('silent MQTT connections make room for those of other addresses', async () => {
  const world = await newWorld({ maxUnknown: 20 })
  const secrets = await manyDevices(world, 10)
  const idle = Array.from({ length: 30 }, () => plain(world.mqttPort, flooder))
  const closed = Promise.all(idle.slice(0, 10).map((socket) => once(socket.resume(), 'close')))
  await Promise.all(idle.map((socket) => once(socket, 'connect')))
  // The oldest ones are gone.
  await closed
  const own = plain(world.mqttPort, genuine)
  await once(own, 'connect')
  for (const secret of secrets) expect(await byMqtt(world, secret, genuine)).toBe(true)
  expect(own.destroyed).toBe(false)
})

describe.skipIf(!hasOpenssl)(`by TLS ${needs}`, () => {
  async function secureWorld(settings: Parameters<typeof gatewayWorld>[0] = {}) {
    const made = openCertificates()
    worlds.push({ close: async () => made.close() })
    const shown = made.makeRoot('localhost', { extensions: ['subjectAltName=DNS:localhost'] })
    const files = {
      certificate: join(made.folder, 'server.crt'),
      key: join(made.folder, 'server.key'),
    }
    copyFileSync(shown.cert, files.certificate)
    copyFileSync(shown.key, files.key)
    const world = await newWorld({ tls: files, ...settings })
    const ca = readFileSync(files.certificate)
    const secure: Attempt = (_, secret, localAddress) =>
      attempt(`wss://localhost:${world.tlsPort}${deviceSocketPath}`, {
        ca,
        family: 4,
        localAddress,
        headers: { authorization: `Bearer ${secret}` },
      })
    return { world, secure, made, ca }
  }

  test('unfinished handshakes of one address leave room for those of others @long', async () => {
    const { world, secure } = await secureWorld()
    const secrets = await manyDevices(world, 40)
    // Of 512 per address, and 500 starting in total.
    const idle = Array.from({ length: 505 }, () => plain(world.tlsPort, flooder))
    await Promise.all(idle.map((socket) => once(socket, 'connect')))
    for (const secret of secrets) expect(await secure(world, secret, genuine)).toBe(true)
  })

  test('endless handshakes of one address leave others their pace @long', async () => {
    const { world, secure } = await secureWorld({ handshakesPerSecond: 30 })
    const secrets = await manyDevices(world, 10)
    const over = new AbortController()
    const begin = async () => {
      while (!over.signal.aborted) {
        const socket = plain(world.tlsPort, flooder)
        await once(socket, 'connect').catch(() => {})
        await new Promise(setImmediate)
        socket.destroy()
      }
    }
    const floods = [begin(), begin(), begin(), begin()]
    try {
      for (const secret of secrets) expect(await secure(world, secret, genuine)).toBe(true)
    } finally {
      over.abort()
      await Promise.all(floods)
    }
  })

  test('endless unknown certificates lock out no device at another address @long', async () => {
    const { world, secure, made, ca } = await secureWorld({
      admissionsPerSecond: 30,
      checksPerSecond: 4,
    })
    const secrets = await manyDevices(world, 10)
    const { cert, key } = made.issue(made.makeRoot('Nobody'), '/CN=pump-1')
    const shown = { cert: readFileSync(cert), key: readFileSync(key) }
    const byCertificate: Attempt = (_, __, localAddress) =>
      new Promise((resolve) => {
        const carrier = plain(world.tlsPort, localAddress)
        const socket = connectSecure({ socket: carrier, servername: 'localhost', ca, ...shown })
        socket.on('error', () => {})
        socket.once('data', (answer: Buffer) => resolve(answerOf(answer[3])))
        socket.once('close', () => resolve(undefined))
        socket.write(connectPacket(''))
      })
    expect(await flood(flooder, 80, world, byCertificate)).toContain(undefined)
    const during = flood(flooder, 40, world, byCertificate)
    for (const secret of secrets) expect(await secure(world, secret, genuine)).toBe(true)
    expect(await during).not.toContain(true)
  })
})
