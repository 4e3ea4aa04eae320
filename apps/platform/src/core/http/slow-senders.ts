import type { Server, Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { subscriberOf } from './network.ts'

// A JSON body has at most 128 kB: this is 4 kB/s.
const jsonMs = 30_000
/**
 * Concurrent connections of one IPv4 address or IPv6 /64; a browser opens six, and an office may
 * share an address.
 */
const maxOfAddress = 512
/** Connections beyond the limit, over all addresses, that get a response before they are closed. */
const maxRefused = 512
/** Maximum time for one of them to send its request. */
const refusalMs = 5000
/** Retry delay in seconds; jittered, since whole fleets share an address. */
const maxAway = 10

const releases = new WeakMap<object, () => void>()
const refused = new WeakSet<object>()

/** Retry delay in seconds for a connection beyond its address's limit; undefined within the limit. */
export const waitOfAddress = (socket: object): number | undefined =>
  refused.has(socket) ? Math.ceil(Math.random() * maxAway) : undefined

/**
 * An authenticated connection no longer counts towards its address, since a building full of devices
 * has only one. The service that authenticates it limits it instead.
 */
export const releaseAddress = (socket: object): void => releases.get(socket)?.()

/** A wrapping socket, such as TLS, gives up its slot when the inner one is released. */
export function passRelease(outer: object, inner: object): void {
  const release = releases.get(outer)
  if (release) releases.set(inner, release)
}

interface SlowSenderLimits {
  jsonMs?: number
  maxOfAddress?: number
}

/**
 * Ends idle resource use: bodies that trickle in, which the limit on the whole request would allow
 * for minutes, and connections beyond what an address needs.
 */
export function limitSlowSenders(
  app: FastifyInstance,
  { trustsProxy, ...limits }: { trustsProxy: boolean } & SlowSenderLimits,
): void {
  app.addHook('onRequest', async ({ raw, headers }, reply) => {
    const wait = waitOfAddress(raw.socket)
    if (wait !== undefined)
      return reply.code(503).headers({ 'retry-after': wait, connection: 'close' }).send()
    const hasBody = headers['content-length'] !== undefined || 'transfer-encoding' in headers
    if (!hasBody || /^multipart\//i.test(headers['content-type'] ?? '')) return
    const timer = setTimeout(() => {
      // An unread body has no end, and its connection may already serve another request.
      if (!raw.complete) raw.destroy()
    }, limits.jsonMs ?? jsonMs)
    timer.unref()
    raw.once('end', () => clearTimeout(timer))
    raw.once('close', () => clearTimeout(timer))
  })
  // Behind a proxy all connections are the proxy's.
  if (trustsProxy) return
  limitAddresses(app.server, { ...limits, isSaid: true })
}

interface AddressLimit {
  maxOfAddress?: number
  /** The handler of the connections sends `waitOfAddress` to those beyond the limit. */
  isSaid: boolean
}

/** Refuses connections of an address beyond its limit. */
export function limitAddresses(
  server: Server,
  { maxOfAddress: most = maxOfAddress, isSaid }: AddressLimit,
): void {
  const byAddress = new Map<string, number>()
  let refusing = 0
  function refuse(socket: Socket) {
    if (!isSaid || refusing >= maxRefused) return socket.destroy()
    refusing++
    refused.add(socket)
    const timer = setTimeout(() => socket.destroy(), refusalMs)
    socket.once('close', () => {
      clearTimeout(timer)
      refusing--
    })
  }
  server.on('connection', (socket) => {
    const address = subscriberOf(socket.remoteAddress ?? '')
    const open = (byAddress.get(address) ?? 0) + 1
    if (open > most) return void refuse(socket)
    byAddress.set(address, open)
    const release = () => {
      if (!releases.delete(socket)) return
      const left = (byAddress.get(address) ?? 1) - 1
      if (left > 0) byAddress.set(address, left)
      else byAddress.delete(address)
    }
    releases.set(socket, release)
    socket.once('close', release)
  })
}
