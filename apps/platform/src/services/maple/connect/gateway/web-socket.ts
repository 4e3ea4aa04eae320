import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { WebSocketServer, type RawData, type WebSocket } from 'ws'
import { deviceSocketPath, maxMessageBytes } from '@grove/device-protocol/limits'
import type { Config } from '../../../../core/config.ts'
import { releaseAddress } from '../../../../core/http/slow-senders.ts'
import { acceptUpgrades } from '../../../../core/http/socket-upgrades.ts'
import type { DeviceConnection, Link } from './device-connection.ts'
import type { Gateway, OwnProof } from './gateway.ts'
import { peerCertificate } from './tls/peer-certificate.ts'

/** Time for the answer to a close; then the connection is dropped. */
const closeMs = 2000

/** Accepts the WebSockets of devices. Only the secret or the certificate identifies the device. */
export function acceptDevices(app: FastifyInstance, config: Config, gateway: Gateway): void {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    // 246 KiB for each connection that was used once.
    perMessageDeflate: false,
    clientTracking: false,
  })
  acceptUpgrades(app, {
    path: deviceSocketPath,
    config,
    async accept({ request, socket, head, refuse }) {
      const proof = proofOf(request)
      if (!proof) return refuse(401)
      const ip = ipOf(request, config)
      const admission = await gateway.admit(proof, ip)
      if (admission === 'wrong') return refuse(401)
      if ('retryAfter' in admission) return refuse(503, admission.retryAfter)
      releaseAddress(socket)
      server.handleUpgrade(request, socket, head, (opened) => {
        serve(opened, gateway.connect(admission.identity, webSocketLink(opened, ip)))
      })
    },
  })
}

/** A secret, if it names one; otherwise its client certificate. */
function proofOf({ headers, socket }: IncomingMessage): OwnProof | undefined {
  const { authorization } = headers
  const secret = /^Bearer ([\w-]{43})$/.exec(authorization ?? '')?.[1]
  if (secret !== undefined) return { secret }
  const certificate = authorization === undefined ? peerCertificate(socket) : undefined
  return certificate && { certificate }
}

// Its listeners must not retain the request, which would live as long as the connection.
function serve(socket: WebSocket, connection: DeviceConnection) {
  socket.on('message', (data, isBinary) => connection.receive(isBinary ? '' : textOf(data)))
  socket.on('error', (error) => connection.ended(error.message))
  socket.once('close', () => connection.ended('it went'))
}

const textOf = (data: RawData) => (Buffer.isBuffer(data) ? data.toString() : '')

function webSocketLink(socket: WebSocket, ip: string): Link {
  return {
    protocol: 'websocket',
    ip,
    send: (text) => socket.send(text),
    waiting: () => socket.bufferedAmount,
    cut: () => socket.terminate(),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close() {
      // A paused link does not read the answer.
      socket.resume()
      socket.close(1000)
      setTimeout(() => socket.terminate(), closeMs).unref()
    },
  }
}

/** The address added by the outermost trusted proxy, if any; earlier ones can be forged. */
export const ipOf = (
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  { proxies }: Pick<Config, 'proxies'>,
): string => {
  const entries = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  const given = proxies > 0 ? (entries.at(-proxies) ?? entries[0]) : undefined
  return given ?? socket.remoteAddress ?? ''
}
