import { randomUUID } from 'node:crypto'
import type { ExternalLoginInfo } from '@grove/contract/auth/external'
import type { AccountSession } from '@grove/contract/auth/profile'
import type { ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import { refuse, type Answers } from './answers.ts'
import { signToken } from './console-server.ts'
import { frameOf, type Person } from './page-test.ts'
import { password } from './test.ts'

/** A session as the authentication service starts it. */
export const tokenOf = (someone: Person) => ({
  token: { tokenType: 'Bearer', accessToken: signToken(someone), refreshToken: 'next' },
})

/** The answers to the sign-in form: one person has an account, and the frame is theirs. */
export const signInAnswers = (someone: Person): Answers => ({
  ...frameOf(someone),
  'POST /api/token/password': ({ body }) =>
    body.email === someone.email && body.password === password
      ? tokenOf(someone)
      : refuse('wrong_credentials')(),
})

/** The ways to sign in of a service with passwords and an identity provider. */
export const withBroker = (origin = ''): Answers => {
  const info = {
    urls: {
      login: 'https://identity.test/authorize',
      redirect: `${origin}/login/callback`,
      callback: '/api/token/external/sample',
    },
    realm: 'grove',
    clientId: 'grove',
    brokers: [{ id: 'sample', name: 'Sample identity' }],
    methods: ['password', 'signUp', 'external', 'emailValidation', 'passwordReset', 'account'],
    pkce: 'S256',
  } satisfies ExternalLoginInfo
  return {
    'GET /api/stage/auth': info,
    'GET /api/info': info,
    'GET /api/info/global': info,
  }
}

/** The service's information about someone's token. */
export const infoOf = (
  { id, roles }: Person,
  more: Partial<ResponseOf<Calls['GET /api/user/info']>> = {},
) => ({
  is_admin: roles.includes('ADMIN'),
  is_developer: roles.includes('DEVELOPER'),
  is_expired: false,
  is_valid: true,
  roles,
  provider: 'grove',
  user_id: id,
  expires_at: new Date(Date.now() + 600_000).toISOString(),
  ...more,
})

const moment = '2026-03-01T09:30:00.000000Z'

/** A session of an account, in a browser with this user agent. */
export const sessionIn = (userAgent: string, isCurrent = false): AccountSession => ({
  id: randomUUID(),
  isCurrent,
  method: 'password',
  userAgent,
  network: '192.0.2.0/24',
  createdAt: moment,
  lastUsedAt: moment,
  expiresAt: moment,
})
