import type { ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import { refuse, type Answers } from './answers.ts'
import { signToken } from './console-server.ts'
import { frameOf, type Person } from './page-test.ts'
import { password } from './test.ts'

/** A session of someone, as the authentication service begins it. */
export const tokenOf = (someone: Person) => ({
  token: { tokenType: 'Bearer', accessToken: signToken(someone), refreshToken: 'next' },
})

/** What the form of the sign-in is answered: one person has an account, and the frame is theirs. */
export const signInAnswers = (someone: Person): Answers => ({
  ...frameOf(someone),
  'POST /api/token/password': ({ body }) =>
    body.email === someone.email && body.password === password
      ? tokenOf(someone)
      : refuse('wrong_credentials')(),
})

/** The ways to sign in of a service that has a password and an identity provider. */
export const withBroker: Answers = {
  'GET /api/stage/auth': {
    urls: {
      login: 'https://identity.test/authorize',
      redirect: '',
      callback: '',
    },
    realm: 'grove',
    clientId: 'grove',
    brokers: [{ id: 'sample', name: 'Sample identity' }],
    methods: ['password', 'signUp', 'external', 'emailValidation', 'passwordReset', 'account'],
    pkce: 'S256',
  },
}

/** What the service says of someone's token. */
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
