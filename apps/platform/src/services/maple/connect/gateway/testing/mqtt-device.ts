import { EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connectAsync, type IClientOptions, type Packet } from 'mqtt'
import { generate, type IConnectPacket } from 'mqtt-packet'
import { WebSocket } from 'ws'
import { mqttSocketPath } from '@grove/device-protocol/limits'
import { readToDevice, type FromDevice, type ToDevice } from '@grove/device-protocol/message'
import type { GatewayWorld } from './gateway-world.ts'

type Of<Kind extends ToDevice['t']> = Extract<ToDevice, { t: Kind }>

export interface Way {
  protocolVersion: 4 | 5
  /** Over a WebSocket, in place of a socket. */
  isWeb?: boolean
}

/** A device that is connected by mqtt.js, with the packets that it was sent. */
export async function mqttClient(
  { mqttPort, address }: GatewayWorld,
  secret: string,
  { protocolVersion, isWeb = false }: Way = { protocolVersion: 5 },
  more: IClientOptions = {},
) {
  const url = isWeb ? `ws://${address}${mqttSocketPath}` : `mqtt://127.0.0.1:${mqttPort}`
  const client = await connectAsync(url, {
    protocolVersion,
    username: 'anything',
    password: secret,
    reconnectPeriod: 0,
    ...more,
  })
  const packets: Packet[] = []
  const news = new EventEmitter()
  client.on('packetreceive', (packet) => {
    packets.push(packet)
    news.emit('heard')
  })
  client.on('error', () => {})
  const heard: ToDevice[] = []
  client.on('message', (_, payload) => {
    const message = readToDevice(payload.toString())
    if (message) heard.push(message)
    news.emit('heard')
  })
  let isClosed = false
  const closed = new Promise<void>((resolve) => {
    client.once('close', () => {
      isClosed = true
      resolve()
      news.emit('heard')
    })
  })
  const wait = async <Found>(find: () => Found | undefined): Promise<Found> => {
    for (;;) {
      const found = find()
      if (found !== undefined) return found
      if (isClosed) throw new Error(`It was closed: ${JSON.stringify(packets)}`)
      await once(news, 'heard')
    }
  }
  return {
    client,
    closed,
    heard,
    packets,
    /** The first packet of a kind. */
    packet: <Kind extends Packet['cmd']>(kind: Kind) =>
      wait(() => packets.find((each): each is Extract<Packet, { cmd: Kind }> => each.cmd === kind)),
    /** The first message of a kind that fits. */
    until: <Kind extends ToDevice['t']>(
      kind: Kind,
      fits: (message: Of<Kind>) => boolean = () => true,
    ) => wait(() => heard.filter((each): each is Of<Kind> => each.t === kind).find(fits)),
    say: (message: FromDevice | string, qos: 0 | 1 = 1, topic = 'd/me/up') =>
      client.publishAsync(topic, typeof message === 'string' ? message : JSON.stringify(message), {
        qos,
      }),
    /** The codes of SUBACK, in the order of the filters. */
    async subscribe(...filters: string[]) {
      const before = packets.length
      client.subscribe(filters, { qos: 1 }, () => {})
      const suback = await wait(() => packets.slice(before).find(({ cmd }) => cmd === 'suback'))
      return (suback as unknown as { granted: number[] }).granted
    },
  }
}

export type MqttDevice = Awaited<ReturnType<typeof mqttClient>>

/** One that subscribed and was welcomed. */
export async function welcomedByMqtt(
  world: GatewayWorld,
  secret: string,
  way?: Way,
  more?: IClientOptions,
) {
  const device = await mqttClient(world, secret, way, more)
  await device.subscribe('d/me/down')
  await device.say({ t: 'hello', v: 1, boot: 'boot-1' })
  return { ...device, welcome: await device.until('welcome') }
}

/** CONNECT with a secret. */
export const connectPacket = (
  secret: string,
  protocolVersion: 4 | 5 = 4,
  more: Partial<IConnectPacket> = {},
): Buffer =>
  generate(
    {
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion,
      clean: true,
      clientId: 'raw',
      keepalive: 60,
      username: 'x',
      password: Buffer.from(secret),
      ...more,
    },
    { protocolVersion },
  )

/** Raw bytes over a socket or a WebSocket, and all bytes received until it closed. */
export async function rawBytes({ mqttPort, address }: GatewayWorld, isWeb: boolean) {
  const heard: Buffer[] = []
  const news = new EventEmitter()
  const state = { isClosed: false }
  const add = (bytes: Buffer) => {
    heard.push(bytes)
    news.emit('heard')
  }
  const end = () => {
    state.isClosed = true
    news.emit('heard')
  }
  const over = isWeb
    ? new WebSocket(`ws://${address}${mqttSocketPath}`, 'mqtt')
    : connect(mqttPort, '127.0.0.1')
  over.on('error', () => {})
  over.on('close', end)
  if (over instanceof WebSocket) {
    over.on('message', (data) => Buffer.isBuffer(data) && add(data))
    await once(over, 'open')
  } else {
    over.on('data', add)
    await once(over, 'connect')
  }
  const wait = async (isDone: () => boolean) => {
    while (!isDone() && !state.isClosed) await once(news, 'heard')
    return Buffer.concat(heard)
  }
  return {
    write: (bytes: Buffer) => (over instanceof WebSocket ? over.send(bytes) : over.write(bytes)),
    /** Resolves with the next input. */
    any: () => wait(() => heard.length > 0),
    /** Everything received until the connection closed. */
    rest: () => wait(() => false),
    end: () => (over instanceof WebSocket ? over.terminate() : over.destroy()),
  }
}

/** A socket that sends whatever a test wants. */
export async function rawMqtt({ mqttPort }: GatewayWorld) {
  const socket: Socket = connect(mqttPort, '127.0.0.1')
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await once(socket, 'connect')
  return {
    socket,
    closed,
    /** CONNECT, and its answer, which is empty if there is none. */
    async connect(
      secret: string,
      protocolVersion: 4 | 5 = 4,
      more: Partial<IConnectPacket> = {},
    ): Promise<Buffer> {
      socket.write(connectPacket(secret, protocolVersion, more))
      const answered = once(socket, 'data').then(([answer]) => answer as Buffer)
      return Promise.race([answered, closed.then(() => Buffer.alloc(0))])
    },
  }
}
