import type { Server, Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { subscriberOf } from './network.ts'

// A body of JSON has 128 kB at most: this is 4 kB/s.
const jsonMs = 30_000
/** Connections of one address at once, or of one /64 of IPv6; a browser opens six, and an office may share an address. */
const maxOfAddress = 512
/** Connections beyond that, of all addresses, that get an answer before they are closed. */
const maxRefused = 512
/** The longest that one of them may take to say what it wants. */
const refusalMs = 5000
/** Seconds until they should come back; they are spread, since whole fleets have one address. */
const maxAway = 10

const releases = new WeakMap<object, () => void>()
const refused = new WeakSet<object>()

/**
 * Seconds after which a connection should come back that is beyond those of its address; undefined
 * for one that is within them.
 */
export const waitOfAddress = (socket: object): number | undefined =>
  refused.has(socket) ? Math.ceil(Math.random() * maxAway) : undefined

/**
 * A connection that proved who it is counts no more among those of its address: a building full of
 * devices has one. Who lets it in limits it.
 */
export const releaseAddress = (socket: object): void => releases.get(socket)?.()

/** The socket in another, such as that of TLS, gives back its place when the inner one is released. */
export function passRelease(outer: object, inner: object): void {
  const release = releases.get(outer)
  if (release) releases.set(inner, release)
}

interface SlowSenderLimits {
  jsonMs?: number
  maxOfAddress?: number
}

/**
 * Ends what a sender holds for nothing: a body that trickles in, which the limit on the whole request
 * would allow for minutes, and connections beyond those that an address needs.
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
      // A body that nobody read has no end, and its connection may serve another request by now.
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
  /** Who serves the connections says `waitOfAddress` to those beyond the limit. */
  isSaid: boolean
}

/** Refuses connections of an address beyond those that it may have at once. */
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
