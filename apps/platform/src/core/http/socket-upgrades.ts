import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { hostRefusal } from './host-check.ts'
import { waitOfAddress } from './slow-senders.ts'

export interface Upgrade {
  request: IncomingMessage
  socket: Duplex
  head: Buffer
  /** Answers with a status instead, and optionally a retry delay in seconds. */
  refuse: (status: UpgradeRefusal, retryAfter?: number) => void
}

export type UpgradeRefusal = keyof typeof words

const words = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  421: 'Misdirected Request',
  503: 'Service Unavailable',
}

type Accept = (upgrade: Upgrade) => Promise<void>

const servers = new WeakMap<Server, Map<string, Accept>>()

/**
 * Accepts WebSockets of programs at a path. A request is checked before the upgrade: it is for a name
 * of this server, and has no origin, since no page connects here.
 */
export function acceptUpgrades(
  app: FastifyInstance,
  { path, config, accept }: { path: string; config: Config; accept: Accept },
): void {
  const { server } = app
  const paths = servers.get(server) ?? listen(server, config)
  paths.set(path, accept)
  app.addHook('preClose', async () => void paths.delete(path))
}

/** For a client that keeps its side open. */
const closeMs = 2000

// A closure created during the request would retain it as long as the connection lives.
function destroy(this: Duplex) {
  this.destroy()
}

function listen(server: Server, config: Config): Map<string, Accept> {
  const paths = new Map<string, Accept>()
  servers.set(server, paths)
  const take = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const refuse = (status: UpgradeRefusal, retryAfter?: number) => {
      const retry = retryAfter === undefined ? '' : `retry-after: ${retryAfter}\r\n`
      socket.end(
        `HTTP/1.1 ${status} ${words[status]}\r\n${retry}connection: close\r\ncontent-length: 0\r\n\r\n`,
      )
      setTimeout(() => socket.destroy(), closeMs).unref()
    }
    socket.on('error', destroy)
    const wait = waitOfAddress(socket)
    if (wait !== undefined) return refuse(503, wait)
    const accept = paths.get(request.url?.split('?')[0] ?? '')
    if (!accept) return refuse(404)
    if (hostRefusal(request, config) !== undefined) return refuse(421)
    if (request.headers.origin !== undefined) return refuse(403)
    await accept({ request, socket, head, refuse }).catch(() => refuse(503))
  }
  server.on('upgrade', (request, socket, head) => {
    take(request, socket, head).catch(() => socket.destroy())
  })
  return paths
}
