import type { LightMyRequestResponse } from 'fastify'
import { randomUUID } from 'node:crypto'
import { startTestServer, type TestServer } from '../../../core/testing/test-platform.ts'
import type { Platform } from '../../../core/platform.ts'
import type { AuthContext } from '../context.ts'
import { auth } from '../index.ts'
import type { IssuedToken } from '../session/parts/start-session.ts'
import type { AuthDb } from '../tables.ts'

export const password = 'Meadow!2847'

export interface AuthServer extends TestServer {
  db: AuthDb
  context: AuthContext
  /** Advances the platform's clock, which otherwise stands still. */
  pass: (ms: number) => void
  post: (url: string, body: object, ip?: string) => Promise<LightMyRequestResponse>
  get: (url: string, ip?: string) => Promise<LightMyRequestResponse>
  /** Signs in from an IP address; the realm is the platform's. */
  signIn: (email: string, password: string, ip?: string) => Promise<LightMyRequestResponse>
  refresh: (refreshToken: string) => Promise<LightMyRequestResponse>
  logout: (refreshToken: string) => Promise<LightMyRequestResponse>
  /** A new account with its first token. */
  account: (ip?: string) => Promise<{ email: string; token: IssuedToken }>
}

export async function startAuthServer(overrides: Partial<Platform> = {}): Promise<AuthServer> {
  const start = Date.now()
  let now = start
  const jobs = { hasRecurring: false, passedMs: () => now - start }
  const server = await startTestServer([auth], { now: () => now, jobs, ...overrides })
  const context = await auth.open(server.platform)
  const provider = server.platform.config.realm
  const post: AuthServer['post'] = (url, payload, remoteAddress = randomAddress()) =>
    server.app.inject({ method: 'POST', url, payload, remoteAddress })
  return {
    ...server,
    db: context.db,
    context,
    pass: (ms) => {
      now += ms
    },
    post,
    get: (url, remoteAddress = randomAddress()) =>
      server.app.inject({ method: 'GET', url, remoteAddress }),
    signIn: (email, password, ip) => post('/api/token/password', { email, password, provider }, ip),
    refresh: (refreshToken) => post('/api/token/refresh', { refreshToken, provider }),
    logout: (refreshToken) => post('/api/logout', { refreshToken, provider }),
    account: async (ip) => {
      const email = `${randomUUID()}@grove.test`
      const answer = await post('/api/signup', { email, password, provider }, ip)
      return { email, token: tokenOf(answer) }
    },
  }
}

/** An IP address in a network that no other test call uses. */
export function randomAddress(): string {
  const groups = randomUUID().replaceAll('-', '').match(/.{4}/g) ?? []
  return groups.join(':')
}

export const tokenOf = (answer: LightMyRequestResponse): IssuedToken =>
  answer.json<{ token: IssuedToken }>().token
