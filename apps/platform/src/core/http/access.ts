import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose'
import type { FastifyRequest } from 'fastify'
import type { Access, KeyKind, RightAccess } from '@grove/contract/call'
import { maxApiKeyLength, shortestApiKey } from '@grove/contract/stage.rules'
import { accessTokenSeconds } from './access-token-lifetime.ts'
import { isAdmin, isDeveloper, type Mandate } from '../actor.ts'
import type { Revocations } from '../revocation/revocations.ts'
import { ProblemError } from './problem.ts'
import type { TokenRules } from './token-rules.ts'

/** What a verified access token says. */
export interface AccessToken {
  userId: string
  /** The auth provider: claim `provider`. */
  realm: string
  roles: readonly string[]
  /** The session that the token belongs to; absent for anonymous and foreign tokens. */
  sessionId: string | undefined
  /** When the token was signed, and when it ends, in milliseconds since the epoch. */
  issuedAt: number
  expiresAt: number
}

export type TokenVerifier = (token: string) => Promise<AccessToken>

// An attacker who sends many tokens must not fill the memory, and the entry is small.
const cacheSize = 10_000
/**
 * A remembered token is verified again after this: its key may have been retired since, because it
 * was stolen, and the thief can sign tokens for ever.
 */
const rememberedMs = 30_000
/** How far the clock of the service that signs may be ahead of this one. */
const clockSkewMs = 60_000

// ECMA-262 "Time Values": what a Date can hold.
const latestDate = 8.64e15

interface VerifierOptions {
  keys: JWTVerifyGetKey
  rules: TokenRules
  /** The one auth provider whose users are ours; an issuer may sign for several. */
  realm: string
  now: () => number
}

/**
 * Verifies access tokens and remembers those verified for a while, since a signature check costs more
 * than the rest of a small call. Only asymmetric algorithms are allowed, which leaves
 * nothing for `alg: none` or an HMAC keyed with the public key; `jku`, `jwk` and `x5u` of a header
 * are never followed.
 */
export function createTokenVerifier(options: VerifierOptions): TokenVerifier {
  const { now, rules } = options
  const verified = new Map<string, { content: AccessToken; until: number }>()
  return async (token) => {
    const known = verified.get(token)
    if (known && known.until > now()) return known.content
    verified.delete(token)
    const { payload, protectedHeader } = await jwtVerify(token, options.keys, {
      algorithms: ['ES256', 'EdDSA', 'RS256', 'PS256'],
      issuer: rules.issuer,
      audience: rules.audience,
      // The specification gives a foreign token no `typ` and no `iat`.
      ...(rules.kind === 'grove' && { typ: 'at+jwt' }),
      requiredClaims: rules.kind === 'grove' ? ['sub', 'exp', 'iat'] : ['exp'],
      currentDate: new Date(now()),
    })
    if (rules.kind === 'foreign') refuseOtherKinds(protectedHeader.typ, payload)
    else refuseLongLife(payload, now())
    if (payload['provider'] !== options.realm)
      throw new errors.JWTClaimValidationFailed('another realm', payload, 'provider')
    const { exp = 0, iat = 0 } = payload
    const content: AccessToken = {
      userId: userIdOf(payload, rules),
      realm: options.realm,
      roles: rolesOf(payload, rules.rolesClaim),
      sessionId: typeof payload['sid'] === 'string' ? payload['sid'] : undefined,
      issuedAt: iat * 1000,
      expiresAt: Math.min(exp * 1000, latestDate),
    }
    if (verified.size >= cacheSize) verified.delete(verified.keys().next().value ?? '')
    verified.set(token, { content, until: Math.min(content.expiresAt, now() + rememberedMs) })
    return content
  }
}

/** The same, without what was revoked since the token was signed. @throws ProblemError `unauthorized`. */
export const unlessRevoked =
  (verify: TokenVerifier, { isRevoked }: Pick<Revocations, 'isRevoked'>): TokenVerifier =>
  async (token) => {
    const content = await verify(token)
    if (isRevoked(content))
      throw new ProblemError('unauthorized', 'The session has ended. Sign in again.')
    return content
  }

/** Who a foreign token is of: the first of these that is a text. Grove's have a `sub`. */
const userClaims = ['sub', 'user_id', 'preferred_username', 'email']

function userIdOf(payload: JWTPayload, { kind }: TokenRules): string {
  const names = kind === 'grove' ? ['sub'] : userClaims
  const found = names.map((name) => payload[name]).find((value) => isUser(value))
  if (found === undefined) throw new errors.JWTClaimValidationFailed('no user', payload, 'sub')
  return found
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
// Nobody becomes a key by the name that a foreign service gives them.
const isUser = (value: unknown): value is string => isText(value) && !value.startsWith(keyUser)

function rolesOf(payload: JWTPayload, claim: readonly string[] | undefined): string[] {
  const at = claim?.reduce<unknown>((found, name) => (Object(found) as JWTPayload)[name], payload)
  const [one, list] = claim ? [at, at] : [payload['role'], payload['roles']]
  return [one, ...(Array.isArray(list) ? list : [])].filter((role) => isText(role))
}

/** Tokens of ours live ten minutes: an old `iat` with a late `exp`, or one from the future, is forged. */
function refuseLongLife(payload: JWTPayload, now: number): void {
  const { iat = Number.NaN, exp = Number.NaN } = payload
  if (exp - iat <= accessTokenSeconds && iat * 1000 <= now + clockSkewMs) return
  throw new errors.JWTClaimValidationFailed('no life of ten minutes', payload, 'iat')
}

/**
 * A service that gives its access tokens no type of their own may sign ID tokens, refresh tokens and
 * logout tokens by the same key, which are no bearer tokens.
 */
function refuseOtherKinds(typ: string | undefined, payload: JWTPayload): void {
  const kind = payload['typ']
  const isPlain = typ === undefined || /^(application\/)?(at\+)?jwt$/i.test(typ)
  const isOther =
    ['nonce', 'at_hash', 'c_hash', 'events'].some((claim) => claim in payload) ||
    (typeof kind === 'string' && /^(id|refresh|offline|logout)$/i.test(kind))
  if (!isPlain || isOther)
    throw new errors.JWTClaimValidationFailed('no access token', payload, 'typ')
}

/** Whom a key stands for, and which calls it is for. */
export interface VerifiedKey {
  kind: KeyKind
  token: AccessToken
}

/** Undefined for a key that is not known or has ended. */
export type KeyVerifier = (key: string, request: FastifyRequest) => Promise<VerifiedKey | undefined>

/** What the keys begin with that a service made. */
const keyPattern = /^Bearer (grove_[\w-]+)$/i
/** An admin may choose the API key of a provider: any that is long and no access token. */
const chosenKeyPattern = new RegExp(
  `^Bearer (?!([\\w-]+\\.){2}[\\w-]+$)([!-~]{${shortestApiKey},${maxApiKeyLength}})$`,
  'i',
)

/** The key that a request carries in place of an access token. */
export const keyOf = (authorization = ''): string | undefined =>
  keyPattern.exec(authorization)?.[1] ?? chosenKeyPattern.exec(authorization)?.[2]

/** User ids that begin so are those of keys. */
export const keyUser = 'key:'

/** What a key stands for in a call: a developer without the name of a person. */
export const keyToken = (
  id: string,
  { realm, expiresAt }: Pick<AccessToken, 'realm' | 'expiresAt'>,
): AccessToken => ({
  userId: keyUser + id,
  realm,
  roles: ['DEVELOPER'],
  sessionId: undefined,
  issuedAt: expiresAt,
  expiresAt,
})

/**
 * What the maker of a request may do in the service; null when that does not include the call. Only
 * an admin gets `everything`.
 */
export type MandateFinder = (
  token: AccessToken,
  access: RightAccess,
  request: FastifyRequest,
) => Promise<Mandate | 'everything' | null>

/**
 * What an actor may do in a call that needs a right; undefined for an admin who may do everything.
 * Every refusal reads the same, so that it says nothing about accounts, objects or input.
 * @throws ProblemError `forbidden`.
 */
export async function findMandate(
  access: RightAccess,
  token: AccessToken,
  request: FastifyRequest,
  find: MandateFinder = adminsOnly,
): Promise<Mandate | undefined> {
  // An anonymous token has no role and is of nobody.
  const mandate = token.roles.length > 0 ? await find(token, access, request) : null
  if (mandate === 'everything' && isAdmin(token)) return undefined
  if (mandate === null || mandate === 'everything')
    throw new ProblemError('forbidden', 'You do not have the right to do this.')
  return mandate
}

/** Where no service gives rights. */
const adminsOnly: MandateFinder = async (token) => (isAdmin(token) ? 'everything' : null)

/** A call that needs a right asks for it next. @throws ProblemError `unauthorized` or `forbidden`. */
export async function authorize(
  access: Exclude<Access, 'public'>,
  authorization: string | undefined,
  verify: TokenVerifier,
): Promise<AccessToken> {
  const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? '')?.[1]
  if (token === undefined)
    throw new ProblemError(
      'unauthorized',
      'Send a bearer access token in the Authorization header.',
    )
  const content = await verify(token).catch((cause: unknown) => {
    // A key that could not be looked up says nothing about the token.
    if (!(cause instanceof errors.JOSEError)) throw cause
    const isNobodys = cause instanceof errors.JWTClaimValidationFailed && cause.claim === 'sub'
    const detail = isNobodys
      ? `The access token does not say who the user is. It needs one of ${userClaims.join(', ')}.`
      : 'The access token is not valid or has expired.'
    throw new ProblemError('unauthorized', detail, { cause })
  })
  if (!hasAccess(access, content))
    throw new ProblemError(
      'forbidden',
      `This call needs the ${access === 'admin' ? 'ADMIN' : 'DEVELOPER'} role.`,
    )
  return content
}

function hasAccess(access: Exclude<Access, 'public'>, token: AccessToken): boolean {
  if (typeof access === 'object') return true
  switch (access) {
    case 'anonymous':
      return true
    case 'signedIn':
      // An anonymous token names nobody and has no role.
      return token.roles.length > 0
    case 'developer':
      return isDeveloper(token) || isAdmin(token)
    case 'admin':
      return isAdmin(token)
  }
}
