import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose'
import type { FastifyRequest } from 'fastify'
import type { Access, KeyKind, RightAccess } from '@grove/contract/call'
import { maxApiKeyLength, shortestApiKey } from '@grove/contract/stage.rules'
import { accessTokenSeconds } from './access-token-lifetime.ts'
import { isAdmin, isDeveloper, type Mandate } from '../actor.ts'
import type { Revocations } from '../revocation/revocations.ts'
import { ProblemError } from './problem.ts'
import type { TokenRules } from './token-rules.ts'

/** The contents of a verified access token. */
export interface AccessToken {
  userId: string
  /** The auth provider: claim `provider`. */
  realm: string
  roles: readonly string[]
  /** The session of the token; absent for anonymous and foreign tokens. */
  sessionId: string | undefined
  /** When the token was issued and when it expires, in milliseconds since the epoch. */
  issuedAt: number
  expiresAt: number
}

export type TokenVerifier = (token: string) => Promise<AccessToken>

// An attacker who sends many tokens must not fill the memory, so entries are small.
const cacheSize = 10_000
/**
 * A cached token is verified again after this: its key may have been retired because it leaked, and a
 * thief could otherwise sign tokens forever.
 */
const rememberedMs = 30_000
/** Tolerated clock skew of the signing service. */
const clockSkewMs = 60_000

// ECMA-262 "Time Values": the range of a Date.
const latestDate = 8.64e15

interface VerifierOptions {
  keys: JWTVerifyGetKey
  rules: TokenRules
  /** The one auth provider whose users are ours; an issuer may sign for several. */
  realm: string
  now: () => number
}

/**
 * Verifies access tokens and caches verified ones for a while, since checking a signature costs more
 * than the rest of a small call. Only asymmetric algorithms are allowed, which rules out `alg: none`
 * and an HMAC keyed with the public key; `jku`, `jwk` and `x5u` headers are never followed.
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
      roles: meantBy(rolesOf(payload, rules.rolesClaim), rules),
      sessionId: typeof payload['sid'] === 'string' ? payload['sid'] : undefined,
      issuedAt: iat * 1000,
      expiresAt: Math.min(exp * 1000, latestDate),
    }
    if (verified.size >= cacheSize) verified.delete(verified.keys().next().value ?? '')
    verified.set(token, { content, until: Math.min(content.expiresAt, now() + rememberedMs) })
    return content
  }
}

/**
 * The same, rejecting what was revoked since the token was issued. @throws ProblemError
 * `unauthorized`.
 */
export const unlessRevoked =
  (verify: TokenVerifier, { isRevoked }: Pick<Revocations, 'isRevoked'>): TokenVerifier =>
  async (token) => {
    const content = await verify(token)
    if (isRevoked(content))
      throw new ProblemError('unauthorized', 'The session has ended. Sign in again.')
    return content
  }

/**
 * A third-party service has role names of its own. If the settings name a role, no other role counts
 * as it.
 */
function meantBy(
  roles: readonly string[],
  { kind, adminRoles, developerRoles }: TokenRules,
): readonly string[] {
  if (kind === 'grove') return roles
  let meant = roles
  for (const [own, names] of [
    ['ADMIN', adminRoles],
    ['DEVELOPER', developerRoles],
  ] as const)
    if (names)
      meant = [
        ...meant.filter((role) => role !== own),
        ...(roles.some((role) => names.includes(role)) ? [own] : []),
      ]
  return meant
}

/** The user of a foreign token: the first of these that is a string. Grove's tokens have a `sub`. */
const userClaims = ['sub', 'user_id', 'preferred_username', 'email']

function userIdOf(payload: JWTPayload, { kind }: TokenRules): string {
  const names = kind === 'grove' ? ['sub'] : userClaims
  const found = names.map((name) => payload[name]).find((value) => isUser(value))
  if (found === undefined) throw new errors.JWTClaimValidationFailed('no user', payload, 'sub')
  return found
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
// A third-party service must not be able to impersonate an API key through a user name.
const isUser = (value: unknown): value is string => isText(value) && !value.startsWith(keyUser)

function rolesOf(payload: JWTPayload, claim: readonly string[] | undefined): string[] {
  const at = claim?.reduce<unknown>((found, name) => (Object(found) as JWTPayload)[name], payload)
  const [one, list] = claim ? [at, at] : [payload['role'], payload['roles']]
  return [one, ...(Array.isArray(list) ? list : [])].filter((role) => isText(role))
}

/** Our tokens live ten minutes: an old `iat` with a late `exp`, or one from the future, is forged. */
function refuseLongLife(payload: JWTPayload, now: number): void {
  const { iat = Number.NaN, exp = Number.NaN } = payload
  if (exp - iat <= accessTokenSeconds && iat * 1000 <= now + clockSkewMs) return
  throw new errors.JWTClaimValidationFailed('no life of ten minutes', payload, 'iat')
}

/**
 * A service whose access tokens have no type of their own may sign ID tokens, refresh tokens and
 * logout tokens with the same key, which are not bearer tokens.
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

/** The account of an API key, and the calls that it may make. */
export interface VerifiedKey {
  kind: KeyKind
  token: AccessToken
}

/** Undefined for a key that is unknown or expired. */
export type KeyVerifier = (key: string, request: FastifyRequest) => Promise<VerifiedKey | undefined>

/** The prefixes of generated keys. */
const keyPattern = /^Bearer (grove_[\w-]+)$/i
/** An admin may choose a provider's API key: anything long that is not an access token. */
const chosenKeyPattern = new RegExp(
  `^Bearer (?!([\\w-]+\\.){2}[\\w-]+$)([!-~]{${shortestApiKey},${maxApiKeyLength}})$`,
  'i',
)

/** The API key of a request, instead of an access token. */
export const keyOf = (authorization = ''): string | undefined =>
  keyPattern.exec(authorization)?.[1] ?? chosenKeyPattern.exec(authorization)?.[2]

/** User ids with this prefix belong to keys. */
export const keyUser = 'key:'

/** The claims of an API key in a call: a developer without a person's name. */
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
 * The requester's rights in the service; null if they do not include the call. Only an admin gets
 * `everything`.
 */
export type MandateFinder = (
  token: AccessToken,
  access: RightAccess,
  request: FastifyRequest,
) => Promise<Mandate | 'everything' | null>

/**
 * The actor's grant in a call that needs a right; undefined for an admin who may do everything. Every
 * refusal has the same text, so that it reveals nothing about accounts, objects or input.
 * @throws ProblemError `forbidden`.
 */
export async function findMandate(
  access: RightAccess,
  token: AccessToken,
  request: FastifyRequest,
  find: MandateFinder = adminsOnly,
): Promise<Mandate | undefined> {
  // An anonymous token has no role and no user.
  const mandate = token.roles.length > 0 ? await find(token, access, request) : null
  if (mandate === 'everything' && isAdmin(token)) return undefined
  if (mandate === null || mandate === 'everything')
    throw new ProblemError('forbidden', 'You do not have the right to do this.')
  return mandate
}

/** If no service grants rights. */
const adminsOnly: MandateFinder = async (token) => (isAdmin(token) ? 'everything' : null)

/** A call that needs a right checks it next. @throws ProblemError `unauthorized` or `forbidden`. */
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
    // A failed key lookup says nothing about the token.
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
      // An anonymous token has no user and no role.
      return token.roles.length > 0
    case 'developer':
      return isDeveloper(token) || isAdmin(token)
    case 'admin':
      return isAdmin(token)
  }
}
