import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { Auth } from '../auth.ts'
import { jwksMaxAgeSeconds } from './key-periods.ts'

export function addSigningKeyRoutes(app: FastifyInstance, auth: Auth): void {
  addCall(app, 'auth', 'GET /.well-known/jwks.json', async ({ reply }) => {
    // Public, and a key is published longer than this before it signs.
    reply.header('cache-control', `public, max-age=${jwksMaxAgeSeconds}`)
    return { keys: await auth.keys.publicKeys() }
  })
}
