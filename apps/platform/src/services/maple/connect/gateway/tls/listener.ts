import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import { deviceSocketPath, mqttSocketPath } from '@grove/device-protocol/limits'
import type { Config } from '../../../../../core/config.ts'
import { forwarding } from '../../../../../core/http/host-check.ts'
import { subscriberOf } from '../../../../../core/http/network.ts'
import { limitAddresses, passRelease } from '../../../../../core/http/slow-senders.ts'
import { openBeginners } from '../beginners.ts'
import { openFairPace } from '../fair-pace.ts'
import type { Gateway } from '../gateway.ts'
import { listenOn, type MqttServer } from '../mqtt/listener.ts'
import { openKeyFiles, type KeyFiles } from './key-files.ts'

export interface TlsSettings {
  port: number
  host: string
  files: KeyFiles
}

interface Parts {
  app: FastifyInstance
  config: Config
  gateway: Gateway
  mqtt: MqttServer
  warn: (reason: string) => void
  /** How often the files are looked at, in milliseconds. */
  watchMs?: number
  /** New connections per second, shared fairly by address; each costs half a millisecond of CPU. */
  handshakesPerSecond?: number
}

/** Connections whose protocol is not yet known. */
const maxBeginning = 500
/** The first byte of CONNECT, with which no HTTP request begins. */
const connectByte = 0x10
const socketPaths = [deviceSocketPath, mqttSocketPath]
/** Additional requests of devices. */
const paths = /^\/api\/maple\/device\/(claim$|image\/)/

export interface TlsListener {
  port: number
  close: () => Promise<void>
}

/**
 * Accepts devices over TLS, with WebSockets and MQTT on one port: the first byte tells which. A
 * device may present a certificate. TLS verifies that it has its key, and the gateway who signed it.
 * @throws StartupError
 */
export async function listenTls(
  { port, host, files }: TlsSettings,
  { app, config, gateway, mqtt, warn, watchMs, handshakesPerSecond = 500 }: Parts,
): Promise<TlsListener> {
  const keys = await openKeyFiles(files, {
    warn,
    ...(watchMs !== undefined && { everyMs: watchMs }),
  })
  const sockets = new Set<Socket>()
  const beginners = openBeginners(maxBeginning)
  const pace = openFairPace(handshakesPerSecond)
  const http = openHttp(app)
  /** For HTTP the first byte is not enough: the head of the request must arrive in time too. */
  const unsettled = new WeakMap<object, () => void>()
  const heard = ({ socket }: IncomingMessage) => unsettled.get(socket)?.()
  http.on('upgrade', heard)
  http.on('request', heard)

  const server = createServer({ noDelay: true })
  // First: connections beyond an address's limit are dropped before anything else sees them.
  if (!config.trustsProxy) limitAddresses(server, { isSaid: false })
  server.on('connection', (socket) => {
    if (socket.destroyed) return
    const { remoteAddress = '' } = socket
    if (!pace.take(subscriberOf(remoteAddress))) return socket.destroy()
    sockets.add(socket)
    const leave = beginners.begin(remoteAddress, () => socket.destroy())
    // For the handshake and what follows; MQTT and requests have their own limits.
    const timer = setTimeout(() => socket.destroy(), gateway.helloMs)
    const settle = () => {
      clearTimeout(timer)
      leave()
    }
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      settle()
      sockets.delete(socket)
    })
    const secure = new TLSSocket(socket, {
      isServer: true,
      secureContext: keys.context(),
      requestCert: true,
      // Who may sign is in the database.
      rejectUnauthorized: false,
    })
    secure.on('error', () => socket.destroy())
    passRelease(socket, secure)
    secure.once('data', (bytes: Buffer) => {
      if (bytes[0] === connectByte) {
        settle()
        return mqtt.serve(secure, bytes)
      }
      secure.pause()
      secure.unshift(bytes)
      unsettled.set(secure, settle)
      http.emit('connection', secure)
      process.nextTick(() => secure.resume())
    })
  })
  const place = { port, host, what: 'TLS', variable: 'GROVE_DEVICE_TLS' }
  await listenOn(server, place, gateway.note)
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      keys.close()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroySoon()
      return closed
    },
  }
}

/** Serves the platform's device routes, and nothing else. */
function openHttp(app: FastifyInstance) {
  const server = createHttpServer()
  // No second request trickles in after the first.
  server.maxRequestsPerSocket = 1
  /** This port has no proxy in front, so forwarding headers are not trusted. */
  const clean = ({ headers }: IncomingMessage) => {
    for (const name of forwarding) delete headers[name]
  }
  const pathOf = ({ url = '' }: IncomingMessage) => url.split('?')[0] ?? ''
  server.on('request', (request, response) => {
    clean(request)
    if (paths.test(pathOf(request))) app.server.emit('request', request, response)
    else response.writeHead(404, { connection: 'close' }).end()
  })
  server.on('upgrade', (request, socket, head) => {
    clean(request)
    if (socketPaths.includes(pathOf(request))) app.server.emit('upgrade', request, socket, head)
    else socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
  })
  server.on('clientError', (_, socket) => socket.destroy())
  return server
}
