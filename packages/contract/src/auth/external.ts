import { Type } from 'typebox'
import { defineCalls } from '../call.ts'
import { NoContent, Strict, Uuid } from '../shapes.ts'
import { Broker, Realm, Token } from './shapes.ts'

/** What a service offers; the console shows nothing that is not in it. */
export const signInMethods = [
  'password',
  'signUp',
  'external',
  'anonymous',
  /** Mail with a link that validates an address, and the page that the link opens. */
  'emailValidation',
  /** Mail with a link to a new password. */
  'passwordReset',
  /** Profile, sessions, identities and a change of password: the calls below `/api/user/`. */
  'account',
] as const

/** spec §3 "External-login info response": the first two members; the others are announced additions. */
const ExternalLoginInfo = Type.Object({
  urls: Type.Object({
    /** The authorization endpoint; '' where there is no provider to sign in with. */
    login: Type.String(),
    /** The page that the provider sends the person back to. */
    redirect: Type.String(),
    /** Where the code is posted. */
    callback: Type.String(),
  }),
  realm: Type.String(),
  clientId: Type.String(),
  brokers: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  methods: Type.Array(Type.Enum(signInMethods)),
  /** The service takes `CodeVerifier`, `Nonce` and `Iss` with the code. */
  pkce: Type.Enum(['S256']),
})
export type ExternalLoginInfo = Type.Static<typeof ExternalLoginInfo>

/** The new identity's email is an account's: sign in to it, then link. No token comes with it. */
const LinkOffer = Type.Object({
  linkToken: Type.String(),
  email: Type.String(),
  broker: Type.String(),
  /** Seconds. */
  expiresIn: Type.Integer(),
})

export const externalCalls = defineCalls({
  'GET /api/stage/auth': {
    summary: 'How people sign in at this stage',
    access: 'public',
    response: ExternalLoginInfo,
  },
  'GET /api/info': {
    summary: 'The external login of a broker at a realm',
    access: 'public',
    query: Strict({ broker: Broker, provider: Realm }),
    response: ExternalLoginInfo,
    problems: ['unknown_broker', 'unknown_realm', 'broker_unavailable', 'console_address_unknown'],
  },
  'GET /api/info/global': {
    summary: 'The external login of a broker at the default realm',
    access: 'public',
    query: Strict({ broker: Broker }),
    response: ExternalLoginInfo,
    problems: ['unknown_broker', 'broker_unavailable', 'console_address_unknown'],
  },
  'POST /api/token/external/{broker}': {
    summary: 'Exchange the code of an external login for a session',
    description:
      'Signs in the account of the identity, or creates one. Without `token` and with `link`, the identity’s email belongs to an account that has to sign in first.',
    access: 'public',
    isFormEncoded: true,
    params: Strict({ broker: Broker }),
    body: Strict({
      Provider: Realm,
      RedirectUrl: Type.String({ minLength: 1, maxLength: 2048 }),
      Code: Type.String({ minLength: 1, maxLength: 4096 }),
      // RFC 7636: 43 to 128 unreserved characters.
      CodeVerifier: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._~-]{43,128}$' })),
      Nonce: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
      Iss: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })),
    }),
    response: Type.Object({ token: Type.Optional(Token), link: Type.Optional(LinkOffer) }),
    problems: [
      'external_sign_in_failed',
      'account_disabled',
      'unknown_broker',
      'unknown_realm',
      'too_many_attempts',
      'broker_unavailable',
    ],
  },
  'POST /api/user/identity': {
    summary: 'Link the identity of an external login to the account that is signed in',
    access: 'signedIn',
    body: Strict({ linkToken: Type.String({ minLength: 1, maxLength: 512 }) }),
    response: NoContent,
    status: 204,
    problems: ['invalid_link_token', 'identity_taken', 'account_disabled'],
  },
  'DELETE /api/user/identity/{id}': {
    summary: 'Take an identity away from the account',
    access: 'signedIn',
    params: Strict({ id: Uuid }),
    response: NoContent,
    status: 204,
    problems: ['not_found', 'last_sign_in_method', 'account_disabled'],
  },
})
