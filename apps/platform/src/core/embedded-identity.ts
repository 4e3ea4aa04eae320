import type { FastifyInstance } from 'fastify'

/** Where a local platform serves its own OpenID provider. */
export const embeddedIdentityPath = '/dev/identity'

/** Its issuer: an address of this process, known once the server listens. */
export function embeddedIssuerOf(app: FastifyInstance): string | undefined {
  const address = app.server.address()
  if (address === null || typeof address === 'string') return undefined
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return `http://${host}:${address.port}${embeddedIdentityPath}`
}
