import { createPublicKey, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { apiVersions } from './api-versions.ts'
import { StartupError } from './startup-error.ts'

/** `dev` is what only a machine of one's own has: see `hasDevPages`. */
export type ServiceName = 'auth' | 'cedar' | 'maple' | 'console' | 'dev'
const serviceNames: readonly ServiceName[] = ['auth', 'cedar', 'maple', 'console']

/** Everything that can be set from outside. Each variable is documented at its reading below. */
export interface Config {
  host: string
  port: number
  /** Absolute path of the data folder. */
  dataFolder: string
  isProduction: boolean
  services: readonly ServiceName[]
  /** Create the sample accounts and apps on first start. */
  hasSample: boolean
  databaseUrl: string | undefined
  logLevel: string
  /** Take the client's address from `X-Forwarded-For`. */
  trustsProxy: boolean
  realm: string
  tokens: TokenRules
  /** Where public keys come from when the authentication service runs elsewhere. */
  jwksUrl: string | undefined
  /** The one public key of an authentication service that runs elsewhere, as PEM (SPKI). */
  publicKey: string | undefined
  /** The console as people reach it; undefined takes a loopback request's own origin. */
  consoleUrl: string | undefined
  /** Origins of web applications elsewhere that may call this server from a browser. */
  allowedOrigins: readonly string[]
  /** Where mail goes out; undefined writes it into the data folder, or sends none in production. */
  mailUrl: string | undefined
  mailFrom: string
  /** OpenID providers that people may sign in with, the default one first. */
  openIdProviders: readonly OpenIdProvider[]
  /** The mail page and the OpenID provider with sample identities: for nobody but this machine. */
  hasDevPages: boolean
  /** Asked, by the first five digits of a SHA-1, whether a new password has been in a breach. */
  breachedPasswordsUrl: string | undefined
  /** Seals the signing keys at rest; without it one is made in the data folder (core/secret.ts). */
  secret: string | undefined
  /** Whether sign-up may ask for the developer role. */
  hasSelfServiceDevelopers: boolean
  stage: StageConfiguration
}

/** How access tokens are checked beyond their signature. */
export interface TokenRules {
  /** `foreign`: signed by somebody else's service, which need not mark its access tokens `at+jwt`. */
  kind: 'grove' | 'foreign'
  /** `iss` and `aud`; undefined is not checked, which only a foreign service's may be. */
  issuer: string | undefined
  audience: string | undefined
}

/** An OpenID provider at which the authentication service is a client. */
export interface OpenIdProvider {
  /** Its name in addresses: `broker` of spec §7. */
  id: string
  /** What people read on its button. */
  name: string
  /** The issuer's address; null is the embedded provider of this process. */
  issuer: string | null
  clientId: string
  clientSecret: string
  /** What an account that it brings may do. */
  role: 'CUSTOMER' | 'DEVELOPER'
}

/** What the console receives (design.md "Configuration"); an address left out is the page's origin. */
export interface StageConfiguration {
  stage: string
  default: {
    auth_api_url?: string
    auth_api_provider: string
    auth_jwks_url?: string
    /** PEM: checked with in place of a JWKS. */
    auth_public_key?: string
    /** `client_id` at the external login of a service that does not tell one. */
    auth_client_id?: string
    cedar_api_url?: string
    maple_api_url?: string
  }
  settings: { authApiVersion: string; cedarApiVersion: string; mapleApiVersion: string }
}

type Environment = Record<string, string | undefined>

/** Reads the `.env` file of a folder into the environment; variables already set win. */
export function loadEnvironmentFile(folder: string): void {
  const file = resolve(folder, '.env')
  if (existsSync(file)) process.loadEnvFile(file)
}

/** @throws StartupError naming the variable, its value and what it may be. */
export function readConfig(env: Environment): Config {
  // `production` refuses sample accounts and a missing secret, and lets nobody sign up as a developer.
  const isProduction = oneOf(env, 'GROVE_ENV', ['local', 'production'], 'local') === 'production'
  // The address to listen on. Anything but loopback makes the sample accounts unavailable.
  const host = text(env, 'GROVE_HOST') ?? '127.0.0.1'
  const isLoopback = isLoopbackName(host)
  // `on` behind a proxy that appends the client's address to `X-Forwarded-For`.
  const trustsProxy = oneOf(env, 'GROVE_TRUST_PROXY', ['on', 'off'], 'off') === 'on'
  // `on` creates sample accounts with a public password: only where nobody else can reach them.
  const sample = oneOf(
    env,
    'GROVE_SAMPLE',
    ['on', 'off'],
    isLoopback && !isProduction && !trustsProxy ? 'on' : 'off',
  )
  if (sample === 'on' && isProduction)
    throw new StartupError(
      'GROVE_SAMPLE is on with GROVE_ENV=production: sample accounts have a public password. Set GROVE_SAMPLE=off.',
    )
  if (sample === 'on' && !isLoopback)
    throw new StartupError(
      `GROVE_SAMPLE is on while GROVE_HOST is ${host}: sample accounts have a public password. Set GROVE_SAMPLE=off or GROVE_HOST=127.0.0.1.`,
    )
  if (sample === 'on' && trustsProxy)
    throw new StartupError(
      'GROVE_SAMPLE is on with GROVE_TRUST_PROXY=on: others come through the proxy, and sample accounts have a public password. Set GROVE_SAMPLE=off.',
    )
  // The authentication realm: `provider` of every authentication call (spec §1).
  const realm = text(env, 'GROVE_REALM') ?? 'grove'
  const services = serviceList(env)
  // Required where the authentication service does not run in this process.
  const jwksUrl = url(env, 'GROVE_AUTH_JWKS_URL', ['http:', 'https:'])
  const publicKey = publicKeyOf(env)
  if (!services.includes('auth') && jwksUrl === undefined && publicKey === undefined)
    throw new StartupError(
      'GROVE_SERVICES leaves out auth, so tokens cannot be verified. Set GROVE_AUTH_JWKS_URL to the authentication service’s key address, or GROVE_AUTH_PUBLIC_KEY to its key.',
    )
  const hasDevPages = isLoopback && !isProduction && !trustsProxy && services.includes('auth')
  // Required for external login and mail where people do not reach the console on loopback.
  const consoleUrl = consoleAddress(env)
  // `smtp://user:password@host:587` or `smtps://…`.
  const mailUrl = url(env, 'MAIL_URL', ['smtp:', 'smtps:'])
  const providers = openIdProviders(env)
  // There nobody's own word for it is taken, so every mail and every external login would be refused.
  if (consoleUrl === undefined && services.includes('auth') && (isProduction || trustsProxy)) {
    const needing = providers.length > 0 ? 'GROVE_OPENID_PROVIDERS' : mailUrl && 'MAIL_URL'
    if (needing !== undefined)
      throw new StartupError(
        `${needing} is set, and links and sign-ins have to lead back to the console: set GROVE_CONSOLE_URL to its address, such as https://grove.example.com.`,
      )
  }
  return {
    host,
    // 0 takes any free port.
    port: integer(env, 'GROVE_PORT', 0, 65535, 3000),
    // Database, objects, keys and mail of the embedded platform.
    dataFolder: resolve(text(env, 'GROVE_DATA') ?? '.grove'),
    isProduction,
    services,
    hasSample: sample === 'on' && services.includes('auth'),
    // PostgreSQL 15 or newer; without it the embedded database in the data folder.
    databaseUrl: url(env, 'DATABASE_URL', ['postgres:', 'postgresql:']),
    // The least severe lines that are written, as JSON, to standard output.
    logLevel: oneOf(
      env,
      'GROVE_LOG',
      ['fatal', 'error', 'warn', 'info', 'debug', 'silent'],
      isProduction ? 'info' : 'warn',
    ),
    trustsProxy,
    realm,
    tokens: tokenRules(env, services.includes('auth')),
    jwksUrl,
    publicKey,
    consoleUrl,
    allowedOrigins: originList(env),
    mailUrl,
    mailFrom: sender(env),
    openIdProviders: [...providers, ...(hasDevPages ? [sampleProvider(randomUUID())] : [])],
    hasDevPages,
    // An address that speaks the range protocol of Have I Been Pwned: …/range/{first five digits}.
    breachedPasswordsUrl: url(env, 'GROVE_BREACHED_PASSWORDS_URL', ['http:', 'https:']),
    secret: secretOf(env, isProduction && services.includes('auth')),
    // `on` lets anyone sign up as a developer.
    hasSelfServiceDevelopers:
      oneOf(env, 'GROVE_SELF_SERVICE_DEVELOPERS', ['on', 'off'], isProduction ? 'off' : 'on') ===
      'on',
    stage: {
      // The name shown in the console's side bar.
      stage: text(env, 'GROVE_STAGE') ?? (isProduction ? 'production' : 'local'),
      default: withoutUndefined({
        // Addresses of services that run elsewhere, as the browser reaches them.
        auth_api_url: url(env, 'GROVE_AUTH_API_URL', ['http:', 'https:']),
        auth_api_provider: realm,
        auth_jwks_url: jwksUrl,
        auth_public_key: publicKey,
        auth_client_id: text(env, 'GROVE_AUTH_CLIENT_ID'),
        cedar_api_url: url(env, 'GROVE_CEDAR_API_URL', ['http:', 'https:']),
        maple_api_url: url(env, 'GROVE_MAPLE_API_URL', ['http:', 'https:']),
      }),
      settings: {
        authApiVersion: apiVersions.auth,
        cedarApiVersion: apiVersions.cedar,
        mapleApiVersion: apiVersions.maple,
      },
    },
  }
}

export const isLoopbackName = (host: string): boolean =>
  ['127.0.0.1', '::1', '[::1]', 'localhost'].includes(host)

function tokenRules(env: Environment, isOurs: boolean): TokenRules {
  // `foreign` where access tokens come from a service that is no Grove.
  const kind = oneOf(env, 'GROVE_AUTH_TOKENS', ['grove', 'foreign'], 'grove')
  if (kind === 'foreign' && isOurs)
    throw new StartupError(
      'GROVE_AUTH_TOKENS is foreign while GROVE_SERVICES runs auth, which signs tokens itself. Leave auth out of GROVE_SERVICES.',
    )
  const fallback = kind === 'grove' ? 'grove' : undefined
  return {
    kind,
    issuer: text(env, 'GROVE_AUTH_ISSUER') ?? fallback,
    audience: text(env, 'GROVE_AUTH_AUDIENCE') ?? fallback,
  }
}

function publicKeyOf(env: Environment): string | undefined {
  // PEM with its line ends, or with `\\n` in their place, as environments often need it.
  const pem = text(env, 'GROVE_AUTH_PUBLIC_KEY')?.replaceAll('\\n', '\n')
  if (pem === undefined) return undefined
  try {
    return createPublicKey(pem).export({ type: 'spki', format: 'pem' }).toString()
  } catch {
    throw new StartupError(
      'GROVE_AUTH_PUBLIC_KEY is no public key. It must be PEM: -----BEGIN PUBLIC KEY----- and so on.',
    )
  }
}

function consoleAddress(env: Environment): string | undefined {
  const address = url(env, 'GROVE_CONSOLE_URL', ['http:', 'https:'])
  if (address === undefined) return undefined
  const { origin, href } = new URL(address)
  // The console is served at the root, and a path that is left out unasked makes links that lead nowhere.
  if (href !== `${origin}/`)
    throw new StartupError(
      'GROVE_CONSOLE_URL must be an origin without a path, such as https://grove.example.com.',
    )
  return origin
}

function sender(env: Environment): string {
  // The sender of every mail: an address, or a name with an address.
  const from = text(env, 'MAIL_FROM') ?? 'Grove <no-reply@grove.test>'
  if (!/^[^<>\r\n]*<[^\s<>@,]+@[^\s<>@,]+>$|^[^\s<>@,]+@[^\s<>@,]+$/.test(from))
    throw new StartupError(
      'MAIL_FROM holds no email address; it must look like Grove <no-reply@example.com>.',
    )
  return from
}

function originList(env: Environment): readonly string[] {
  // Separated by commas: https://app.example.com
  const list = text(env, 'GROVE_ALLOWED_ORIGINS')?.split(',') ?? []
  return list.map((part) => {
    const origin = part.trim()
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      throw new StartupError(
        `GROVE_ALLOWED_ORIGINS names "${origin}"; an origin looks like https://app.example.com, without a path.`,
      )
    return origin
  })
}

const sampleProviderId = 'sample'

const sampleProvider = (clientSecret: string): OpenIdProvider => ({
  id: sampleProviderId,
  name: 'Sample identity',
  issuer: null,
  clientId: 'grove',
  clientSecret,
  role: 'DEVELOPER',
})

function openIdProviders(env: Environment): OpenIdProvider[] {
  // JSON: [{ "id", "name", "issuer", "clientId", "clientSecret", "role"? }]
  const value = text(env, 'GROVE_OPENID_PROVIDERS')
  if (value === undefined) return []
  const fail = (what: string) =>
    new StartupError(
      `GROVE_OPENID_PROVIDERS ${what}. It must be JSON: [{"id":"example","name":"Example","issuer":"https://id.example.com","clientId":"…","clientSecret":"…"}].`,
    )
  const list = parseJson(value)
  if (!Array.isArray(list)) throw fail('is no JSON array')
  const providers = list.map((entry: Record<string, unknown> | null, index): OpenIdProvider => {
    const field = (name: string, pattern: RegExp) => {
      const found = entry?.[name]
      if (typeof found !== 'string' || !pattern.test(found))
        throw fail(`has no usable "${name}" in entry ${index + 1}`)
      return found
    }
    const role = entry?.['role'] ?? 'CUSTOMER'
    if (role !== 'CUSTOMER' && role !== 'DEVELOPER')
      throw fail(`has a "role" in entry ${index + 1} that is neither CUSTOMER nor DEVELOPER`)
    const issuer = field('issuer', /^https?:\/\/./)
    if (!isIssuer(issuer)) throw fail(`has no usable "issuer" in entry ${index + 1}`)
    return {
      id: field('id', /^[a-z0-9-]{1,32}$/),
      name: field('name', /^.{1,40}$/),
      issuer,
      clientId: field('clientId', /./),
      clientSecret: field('clientSecret', /./),
      role,
    }
  })
  const ids = providers.map(({ id }) => id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined)
    throw new StartupError(
      `GROVE_OPENID_PROVIDERS has two entries with the id "${twice}"; each needs an id of its own.`,
    )
  // Also where there is none: the database may have been one with it before.
  if (ids.includes(sampleProviderId))
    throw new StartupError(
      `GROVE_OPENID_PROVIDERS has the id "${sampleProviderId}", which is the embedded provider’s; choose another.`,
    )
  return providers
}

/** OpenID Connect Discovery 1.0 section 3: https, no query, no fragment; http on this machine alone. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, search, hash } = new URL(text)
  const isSafe = protocol === 'https:' || isLoopbackName(hostname)
  return isSafe && username === '' && search === '' && hash === ''
}

function parseJson(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

function text(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim()
  return value === '' ? undefined : value
}

function oneOf<const T extends string>(
  env: Environment,
  name: string,
  allowed: readonly T[],
  fallback: T,
): T {
  const value = text(env, name) ?? fallback
  const found = allowed.find((candidate) => candidate === value)
  if (found === undefined)
    throw new StartupError(`${name} is "${value}"; it must be one of: ${allowed.join(', ')}.`)
  return found
}

function integer(env: Environment, name: string, least: number, most: number, fallback: number) {
  const value = text(env, name)
  if (value === undefined) return fallback
  const number = Number(value)
  if (!Number.isInteger(number) || number < least || number > most)
    throw new StartupError(
      `${name} is "${value}"; it must be a whole number from ${least} to ${most}.`,
    )
  return number
}

function url(env: Environment, name: string, protocols: readonly string[]): string | undefined {
  const value = text(env, name)
  if (value === undefined) return undefined
  // The value is not repeated: an address may hold a password.
  if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol))
    throw new StartupError(
      `${name} is not an address that starts with ${protocols.map((p) => `${p}//`).join(' or ')}.`,
    )
  return value
}

// 128 bits as hexadecimal; a shorter or repetitive text is a placeholder that somebody forgot.
const shortestSecret = 32
const fewestSecretCharacters = 10

function secretOf(env: Environment, isRequired: boolean): string | undefined {
  // At least 32 random characters, the same in every process of one platform.
  const secret = text(env, 'GROVE_SECRET')
  if (secret === undefined) {
    if (!isRequired) return undefined
    throw new StartupError(
      'GROVE_ENV=production needs GROVE_SECRET, which seals the signing keys. Set it to the output of: openssl rand -hex 32',
    )
  }
  if (secret.length < shortestSecret || new Set(secret).size < fewestSecretCharacters)
    throw new StartupError(
      'GROVE_SECRET is too easy to guess: it must be 32 random characters or more. Set it to the output of: openssl rand -hex 32',
    )
  return secret
}

function serviceList(env: Environment): readonly ServiceName[] {
  // Which services this process runs, separated by commas.
  const value = text(env, 'GROVE_SERVICES')
  if (value === undefined) return serviceNames
  return value.split(',').map((name) => {
    const found = serviceNames.find((candidate) => candidate === name.trim())
    if (found === undefined)
      throw new StartupError(
        `GROVE_SERVICES names "${name.trim()}"; it may hold: ${serviceNames.join(', ')}.`,
      )
    return found
  })
}

function withoutUndefined<T extends object>(object: T): { [K in keyof T]: NonNullable<T[K]> } {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]: NonNullable<T[K]> }
}
