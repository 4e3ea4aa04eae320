import { Type } from 'typebox'
import { defineCalls } from '../call.ts'
import { defaultLocale, locales } from '../locale.rules.ts'
import { Name, noContent, Strict } from '../shapes.ts'
import { defaultSignUpRole, maxNameLength, signUpRoles } from './account.rules.ts'
import { Email, Password, Realm, Token } from './shapes.ts'

const localeWithDefault = Type.Enum(locales, { default: defaultLocale })
const TokenAnswer = Type.Object({ token: Token })

export const sessionCalls = defineCalls('auth', {
  'POST /api/token/password': {
    summary: 'Sign in with email and password',
    access: 'public',
    body: Strict({ email: Email, password: Password, provider: Realm }),
    response: TokenAnswer,
    problems: ['wrong_credentials', 'too_many_attempts', 'unknown_realm', 'account_disabled'],
  },
  'POST /api/signup': {
    summary: 'Create an account and sign in',
    access: 'public',
    body: Strict({
      email: Email,
      password: Password,
      provider: Realm,
      name: Type.Optional(Name(maxNameLength)),
      locale: Type.Optional(localeWithDefault),
      role: Type.Optional(Type.Enum(signUpRoles, { default: defaultSignUpRole })),
    }),
    response: TokenAnswer,
    problems: ['sign_up_refused', 'too_many_attempts', 'unknown_realm'],
  },
  'POST /api/token/refresh': {
    summary: 'Exchange a refresh token for a new pair',
    access: 'public',
    body: Strict({ refreshToken: Type.String({ minLength: 1, maxLength: 512 }), provider: Realm }),
    response: TokenAnswer,
    problems: ['invalid_refresh_token', 'too_many_attempts', 'unknown_realm', 'account_disabled'],
  },
  'POST /api/logout': {
    summary: 'End the session of a refresh token',
    description: 'Works with an expired access token; you can repeat it.',
    access: 'public',
    body: Strict({ refreshToken: Type.String({ minLength: 1, maxLength: 512 }), provider: Realm }),
    ...noContent,
    problems: ['unknown_realm'],
  },
  'GET /api/token/anonymous': {
    summary: 'A short-lived token without roles',
    access: 'public',
    response: TokenAnswer,
    problems: ['forbidden', 'too_many_attempts'],
  },
  'GET /api/user/exists/email': {
    summary: 'Whether an account uses this email',
    description: 'Strictly limited, because the answer reveals who has an account.',
    access: 'public',
    query: Strict({ email: Email, provider: Realm }),
    response: Type.Object({ exists: Type.Boolean() }),
    problems: ['forbidden', 'too_many_attempts', 'unknown_realm'],
  },
  'GET /.well-known/jwks.json': {
    summary: 'Public keys that verify access tokens',
    access: 'public',
    response: Type.Object({
      keys: Type.Array(
        Type.Object({
          kty: Type.String(),
          crv: Type.String(),
          x: Type.String(),
          y: Type.String(),
          kid: Type.String(),
          alg: Type.String(),
          use: Type.String(),
        }),
      ),
    }),
  },
})
