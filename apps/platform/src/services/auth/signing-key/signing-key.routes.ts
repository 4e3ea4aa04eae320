import { sessionCalls } from '@grove/contract/auth/session'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../core/http/add-call.ts'
import type { AuthContext } from '../context.ts'
import { jwksMaxAgeSeconds } from './parts/key-periods.ts'

export function addSigningKeyRoutes(app: FastifyInstance, context: AuthContext): void {
  addCall(app, sessionCalls, 'GET /.well-known/jwks.json', async ({ reply }) => {
    // Public, and a key is published longer than this before it signs.
    reply.header('cache-control', `public, max-age=${jwksMaxAgeSeconds}`)
    return { keys: await context.keys.publicKeys() }
  })
}
