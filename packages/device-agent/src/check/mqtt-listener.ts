import { createServer, type AddressInfo, type Socket } from 'node:net'
import { createServer as createSecureServer } from 'node:tls'
import { generate, parser, type IConnectPacket, type Packet } from 'mqtt-packet'
import { maxMessageLength, secretPattern } from '@grove/device-protocol/limits'
import { readFromDevice, writeMessage, type ToDevice } from '@grove/device-protocol/message'
import type { Connection, Knock, Said } from './device-server.ts'
import { secureOptions, showsCertificate, type ServerKeys } from './server-keys.ts'
import { inbox } from './steps.ts'

/** Reason codes of MQTT 5, and return codes of 3.1.1. */
const refusals = {
  busy: { reasonCode: 137, returnCode: 3 },
  wrong: { reasonCode: 134, returnCode: 4 },
  version: { reasonCode: 132, returnCode: 1 },
}
const failed = 0x80
const unavailable = 139
/** Topics of a device: `me`, or the id of the device or of its secret. */
const upPattern = /^d\/[^/]+\/up$/
const downPattern = /^d\/[^/]+\/down$/

interface Listening {
  port: number
  host: string
  tls: ServerKeys | undefined
  onKnock: (knock: Knock) => void
  /** A deviation of the device from what the gateway accepts, as a sentence. */
  onFault: (words: string) => void
}

/** Accepts the MQTT connections of the device under test. */
export async function listenForMqtt({ port, host, tls, onKnock, onFault }: Listening) {
  const sockets = new Set<Socket>()
  const take = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => sockets.delete(socket))
    greet(socket, onKnock, onFault)
  }
  const server = tls ? createSecureServer(secureOptions(tls), take) : createServer(take)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function greet(socket: Socket, onKnock: Listening['onKnock'], onFault: Listening['onFault']): void {
  let version = 4
  let take: ((packet: Packet) => void) | undefined
  const early: Packet[] = []
  const write = (packet: Packet) => {
    if (socket.writable) socket.write(generate(packet, { protocolVersion: version }))
  }
  // The version of the first packet applies to the connection.
  const reader = parser()
    .on('packet', (packet) => {
      if (packet.cmd === 'connect') return knock(packet)
      if (take) take(packet)
      else early.push(packet)
    })
    .on('error', () => {
      onFault('It sent bytes that are not MQTT.')
      socket.destroy()
    })
  socket.on('data', (bytes) => {
    if (reader.parse(bytes) > 4 * maxMessageLength) socket.destroy()
  })

  function refuse(why: keyof typeof refusals, retryIn?: number) {
    const properties = retryIn !== undefined && { userProperties: { retryIn: String(retryIn) } }
    write({
      cmd: 'connack',
      sessionPresent: false,
      ...refusals[why],
      ...(version === 5 && properties && { properties }),
    })
    socket.end()
  }

  function knock({ protocolVersion, password }: IConnectPacket) {
    if (protocolVersion === 5) version = 5
    else if (protocolVersion !== 4) {
      onFault(`It speaks version ${protocolVersion} of MQTT, and should speak 4 (3.1.1) or 5.`)
      return refuse('version')
    }
    const secret = password?.toString() ?? ''
    onKnock({
      kind: 'connect',
      at: performance.now(),
      way: version === 5 ? 'MQTT 5' : 'MQTT 3.1.1',
      secret: secretPattern.test(secret) ? secret : undefined,
      hasCertificate: showsCertificate(socket),
      hasOrigin: false,
      refuse: (why, seconds) => refuse(why, seconds && seconds * 1000),
      accept() {
        write({ cmd: 'connack', sessionPresent: false, reasonCode: 0, returnCode: 0 })
        const session = openSession(socket, write, onFault)
        take = session.take
        for (const packet of early.splice(0)) take(packet)
        return Promise.resolve(session.connection)
      },
    })
  }
}

/** One accepted connection. A PUBACK means that a message is stored: it is sent with the `ack`. */
function openSession(
  socket: Socket,
  write: (packet: Packet) => void,
  onFault: Listening['onFault'],
): { take: (packet: Packet) => void; connection: Connection } {
  const { items: heard, add, end, until } = inbox<Said>()
  const unconfirmed: { seq: number; messageId: number }[] = []
  let down: { topic: string; qos: 0 | 1 } | undefined
  let lastId = 0

  function publish({
    topic,
    payload,
    qos,
    retain,
    messageId = 0,
  }: Extract<Packet, { cmd: 'publish' }>) {
    if (!upPattern.test(topic)) return onFault(`It published to ${topic}, and should to d/me/up.`)
    if (qos === 2) onFault('It published with QoS 2, and should with 0 or 1.')
    if (retain) onFault('It published a retained message: Grove keeps none.')
    const text = payload.toString()
    const message = readFromDevice(text)
    if (message?.t === 'hello' && !down)
      onFault('It said hello before it subscribed to d/me/down: the welcome would be lost.')
    if (qos === 1)
      if (message && 'seq' in message) unconfirmed.push({ seq: message.seq, messageId })
      else write({ cmd: 'puback', messageId })
    add(message ?? { t: 'wrong', text: text.slice(0, 200) })
  }

  function subscribe({ messageId, subscriptions }: Extract<Packet, { cmd: 'subscribe' }>) {
    const granted = subscriptions.map(({ topic, qos }) => {
      if (!downPattern.test(topic)) {
        onFault(`It subscribed to ${topic}, and should to d/me/down alone.`)
        return failed
      }
      down = { topic, qos: qos === 0 ? 0 : 1 }
      return down.qos
    })
    write({ cmd: 'suback', messageId: messageId ?? 0, granted })
  }

  function confirm(stored: number) {
    for (const each of unconfirmed.splice(0))
      if (each.seq <= stored) write({ cmd: 'puback', messageId: each.messageId })
      else unconfirmed.push(each)
  }

  const ended = new Promise<void>((resolve) =>
    socket.once('close', () => {
      end('the device closed the connection')
      resolve()
    }),
  )
  return {
    take(packet) {
      if (packet.cmd === 'publish') publish(packet)
      else if (packet.cmd === 'subscribe') subscribe(packet)
      else if (packet.cmd === 'pingreq') write({ cmd: 'pingresp' })
      else if (packet.cmd === 'disconnect') socket.end()
    },
    connection: {
      heard,
      until,
      ended,
      say(message) {
        const { t, seq } = message as { t?: string; seq?: number }
        if (down)
          write({
            cmd: 'publish',
            topic: down.topic,
            qos: down.qos,
            dup: false,
            retain: false,
            payload: writeMessage(message as ToDevice),
            ...(down.qos === 1 && { messageId: (lastId = (lastId % 65_535) + 1) }),
          })
        if (t === 'ack') confirm(seq ?? 0)
        if (t !== 'bye') return
        write({ cmd: 'disconnect', reasonCode: unavailable })
        socket.end()
      },
      cut: () => socket.destroy(),
    },
  }
}
