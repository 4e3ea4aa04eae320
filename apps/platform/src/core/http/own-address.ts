import type { FastifyInstance } from 'fastify'

/** The origin that this process listens on, once it does. */
export function ownAddress(app: FastifyInstance): string | undefined {
  const address = app.server.address()
  if (address === null || typeof address === 'string') return undefined
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return `http://${host}:${address.port}`
}
