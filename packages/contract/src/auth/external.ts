import { Type } from 'typebox'
import { defineCalls } from '../call.ts'
import { noContent, Strict } from '../shapes.ts'
import { signInMethods } from './external.rules.ts'
import { Broker, Realm, Token } from './shapes.ts'

/** spec §3 "External-login info response": the first two members; the others are announced additions. */
const ExternalLoginInfo = Type.Object({
  urls: Type.Object({
    /** The authorization endpoint; '' without a provider to sign in with. */
    login: Type.String(),
    /** The page that the provider redirects back to. */
    redirect: Type.String(),
    /** Where the code is posted. */
    callback: Type.String(),
  }),
  realm: Type.String(),
  clientId: Type.String(),
  brokers: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  methods: Type.Array(Type.Enum(signInMethods)),
  /** The service accepts `CodeVerifier`, `Nonce` and `Iss` with the code. */
  pkce: Type.Enum(['S256']),
})
export type ExternalLoginInfo = Type.Static<typeof ExternalLoginInfo>

/** The email of a new identity belongs to an account: sign in to it, then link. Carries no token. */
const LinkOffer = Type.Object({
  linkToken: Type.String(),
  email: Type.String(),
  broker: Type.String(),
  /** Seconds. */
  expiresIn: Type.Integer(),
})

export const externalCalls = defineCalls('auth', 'signedIn', {
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
      'Signs in the account of the identity, or creates one. An answer with `link` and without `token` means that the identity’s email belongs to an account, which has to sign in first.',
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
    summary: 'Link the identity of an external login to the signed-in account',
    body: Strict({ linkToken: Type.String({ minLength: 1, maxLength: 512 }) }),
    ...noContent,
    problems: ['invalid_link_token', 'identity_taken', 'account_disabled'],
  },
  'DELETE /api/user/identity/{id}': {
    summary: 'Remove an identity from the account',
    ...noContent,
    problems: ['last_sign_in_method', 'account_disabled'],
  },
})
