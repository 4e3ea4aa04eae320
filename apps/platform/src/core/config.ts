import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { apiVersions } from './api-versions.ts'
import { StartupError } from './startup-error.ts'

export type ServiceName = 'auth' | 'cedar' | 'maple' | 'console'
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
  issuer: string
  audience: string
  /** Where public keys come from when the authentication service runs elsewhere. */
  jwksUrl: string | undefined
  /** Seals the signing keys at rest; without it one is made in the data folder (core/secret.ts). */
  secret: string | undefined
  /** Whether sign-up may ask for the developer role. */
  hasSelfServiceDevelopers: boolean
  stage: StageConfiguration
}

/** What the console receives (design.md "Configuration"); an address left out is the page's origin. */
export interface StageConfiguration {
  stage: string
  default: {
    auth_api_url?: string
    auth_api_provider: string
    auth_jwks_url?: string
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
  const isLoopback = ['127.0.0.1', '::1', 'localhost'].includes(host)
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
  if (!services.includes('auth') && jwksUrl === undefined)
    throw new StartupError(
      'GROVE_SERVICES leaves out auth, so tokens cannot be verified. Set GROVE_AUTH_JWKS_URL to the authentication service’s key address.',
    )
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
    // `iss` and `aud` of access tokens.
    issuer: text(env, 'GROVE_AUTH_ISSUER') ?? 'grove',
    audience: text(env, 'GROVE_AUTH_AUDIENCE') ?? 'grove',
    jwksUrl,
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
