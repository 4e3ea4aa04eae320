import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { WebSocketServer, type WebSocket } from 'ws'
import { maxMessageBytes, mqttSocketPath } from '@grove/device-protocol/limits'
import type { Config } from '../../../../../core/config.ts'
import {
  limitAddresses,
  releaseAddress,
  waitOfAddress,
} from '../../../../../core/http/slow-senders.ts'
import { acceptUpgrades } from '../../../../../core/http/socket-upgrades.ts'
import { StartupError } from '../../../../../core/startup-error.ts'
import { openBeginners } from '../beginners.ts'
import type { Gateway } from '../gateway.ts'
import { peerCertificate } from '../tls/peer-certificate.ts'
import { ipOf } from '../web-socket.ts'
import { mqttSession, type Carrier, type MqttSession } from './session.ts'

export interface MqttSettings {
  /** Without one, MQTT is available only over WebSocket. */
  port: number | undefined
  host: string
}

/** Time for the answer to a close; then the connection is dropped. */
const closeMs = 2000
/** Unauthenticated connections, checked together: none has its own timer. */
function openWaitingRoom({ helloMs, maxUnknown }: Gateway) {
  const waiting = new Map<MqttSession, { since: number; leave: () => void }>()
  const beginners = openBeginners(maxUnknown)
  function remove(session: MqttSession) {
    waiting.get(session)?.leave()
    waiting.delete(session)
  }
  const timer = setInterval(() => {
    const oldest = performance.now() - helloMs
    for (const [session, { since }] of waiting) {
      if (!session.isUnknown()) remove(session)
      else if (since < oldest) {
        remove(session)
        session.expire()
      }
    }
  }, helloMs / 10)
  timer.unref()
  return {
    add(session: MqttSession, ip: string) {
      const leave = beginners.begin(ip, () => {
        remove(session)
        if (session.isUnknown()) session.expire()
      })
      waiting.set(session, { since: performance.now(), leave })
    },
    delete: remove,
    close: () => clearInterval(timer),
  }
}

export interface MqttListener {
  port: number
  close: () => Promise<void>
}

export interface MqttServer {
  /** A connection, with what it has already sent. */
  serve: (socket: Socket, begun?: Buffer) => void
  /** Logs connections that a listener could not accept. */
  note: Gateway['note']
  close: () => void
}

/** Speaks MQTT on sockets, no matter who accepted them. */
export function openMqttServer(gateway: Gateway): MqttServer {
  const room = openWaitingRoom(gateway)
  return {
    serve(socket, begun) {
      const carrier = socketCarrier(socket)
      const session = mqttSession(carrier, gateway, () => {
        room.delete(session)
        releaseAddress(socket)
      })
      room.add(session, carrier.ip)
      socket.on('data', (bytes) => session.read(bytes))
      socket.on('error', (error) => session.ended(error.message))
      socket.once('close', () => {
        room.delete(session)
        session.ended('it went')
      })
      if (begun) session.read(begun)
    },
    note: gateway.note,
    close: room.close,
  }
}

/** Accepts devices over MQTT on TCP. @throws StartupError */
export async function listenMqtt(
  { port, host }: MqttSettings,
  { trustsProxy }: Config,
  mqtt: MqttServer,
): Promise<MqttListener> {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    mqtt.serve(socket)
  })
  // Behind a proxy all connections are the proxy's.
  if (!trustsProxy) limitAddresses(server, { isSaid: true })
  const place = { port: port ?? 0, host, what: 'MQTT', variable: 'GROVE_MQTT' }
  await listenOn(server, place, mqtt.note)
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroySoon()
      return closed
    },
  }
}

interface Place {
  port: number
  host: string
  what: string
  /** Prefix of its settings' names. */
  variable: string
}

/** @throws StartupError */
export async function listenOn(
  server: Server,
  { port, host, what, variable }: Place,
  note: Gateway['note'],
): Promise<void> {
  const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    server.once('error', resolve)
    server.listen({ host, port }, () => resolve(undefined))
  })
  server.removeAllListeners('error')
  // A failed accept, for instance without a file descriptor, is no reason to close the others.
  server.on('error', (later) => note(later, { port: what }))
  if (error === undefined) return
  throw new StartupError(
    `Devices cannot connect by ${what} on ${host}:${port} (${error.code ?? error.message}). Set ${variable}_PORT to a free port and ${variable}_HOST to an address of this machine.`,
    { cause: error },
  )
}

const socketCarrier = (socket: Socket): Carrier => ({
  ip: socket.remoteAddress ?? '',
  retryAfter: () => waitOfAddress(socket),
  certificate: () => peerCertificate(socket),
  write: (bytes) => void socket.write(bytes),
  waiting: () => socket.writableLength,
  pause: () => socket.pause(),
  resume: () => socket.resume(),
  end() {
    socket.end()
    setTimeout(() => socket.destroy(), closeMs).unref()
  },
  cut: () => socket.destroy(),
})

/** Accepts devices over MQTT in a WebSocket, on the server's own port. */
export function acceptMqttSockets(app: FastifyInstance, config: Config, gateway: Gateway): void {
  const room = openWaitingRoom(gateway)
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    clientTracking: false,
    handleProtocols: (offered) => (offered.has('mqtt') ? 'mqtt' : false),
  })
  // Its listeners must not retain the request, which would live as long as the connection.
  const serve = (opened: WebSocket, socket: Duplex, carrier: Carrier) => {
    const session = mqttSession(carrier, gateway, () => {
      room.delete(session)
      releaseAddress(socket)
    })
    room.add(session, carrier.ip)
    opened.on('message', (data) => {
      if (Buffer.isBuffer(data)) session.read(data)
    })
    opened.on('error', (error) => session.ended(error.message))
    opened.once('close', () => {
      room.delete(session)
      session.ended('it went')
    })
  }
  acceptUpgrades(app, {
    path: mqttSocketPath,
    config,
    async accept({ request, socket, head }) {
      server.handleUpgrade(request, socket, head, (opened) =>
        serve(opened, socket, webSocketCarrier(opened, socket, ipOf(request, config))),
      )
    },
  })
  app.addHook('preClose', async () => room.close())
}

const webSocketCarrier = (socket: WebSocket, under: Duplex, ip: string): Carrier => ({
  ip,
  certificate: () => peerCertificate(under),
  write: (bytes) => socket.send(bytes),
  waiting: () => socket.bufferedAmount,
  pause: () => socket.pause(),
  resume: () => socket.resume(),
  end() {
    socket.close(1000)
    setTimeout(() => socket.terminate(), closeMs).unref()
  },
  cut: () => socket.terminate(),
})
