import { embeddedProvider } from '@grove/contract/dev/embedded-provider'
import type { Config } from '../../core/config.ts'
import {
  isLoopbackName,
  readSwitch,
  readText,
  readUrl,
  type Environment,
} from '../../core/environment.ts'
import { StartupError } from '../../core/startup-error.ts'
import { emailErrors, passwordErrors } from './account/parts/account-fields.ts'

/** The first administrator, from the environment. */
export interface FirstAdmin {
  email: string
  /** If omitted, the administrator gets a link and chooses one. */
  password: string | undefined
}

export interface AuthSettings {
  /** OpenID providers for sign-in, default first. */
  openIdProviders: readonly OpenIdProvider[]
  /** Receives the first five digits of a SHA-1 and says whether a password was in a breach. */
  breachedPasswordsUrl: string | undefined
  /** Whether sign-up may request the developer role. */
  hasSelfServiceDevelopers: boolean
  /** This service's URL for browsers; undefined: the origin of the pages. */
  apiUrl: string | undefined
  /** The future administrator of a Grove that has none yet. */
  firstAdmin: FirstAdmin | undefined
}

/** An OpenID provider of which the authentication service is a client. */
export interface OpenIdProvider {
  /** Its name in URLs: `broker` of spec §7. */
  id: string
  /** The label of its button. */
  name: string
  /** The issuer's URL; null is the embedded provider of this process. */
  issuer: string | null
  clientId: string
  clientSecret: string
  /** The role of accounts that it creates. */
  role: 'CUSTOMER' | 'DEVELOPER'
}

/** @throws StartupError naming the variable, its value and the allowed values. */
export function readSettings(env: Environment, config: Config): AuthSettings {
  const { isProduction, trustsProxy, publicUrl, mailUrl } = config
  if (isProduction && config.secret === undefined)
    throw new StartupError(
      'GROVE_ENV=production needs GROVE_SECRET, which seals the signing keys. Set it to the output of: openssl rand -hex 32',
    )
  const openIdProviders = readOpenIdProviders(env)
  // A request's `Host` is not trusted there, so every mail and external login would be refused.
  if (publicUrl === undefined && (isProduction || trustsProxy)) {
    const needing = openIdProviders.length > 0 ? 'GROVE_OPENID_PROVIDERS' : mailUrl && 'MAIL_URL'
    if (needing !== undefined)
      throw new StartupError(
        `${needing} is set, and links and sign-ins have to lead back to the console: set GROVE_CONSOLE_URL to its address, such as https://grove.example.com.`,
      )
  }
  return {
    openIdProviders,
    // A URL that speaks the range protocol of Have I Been Pwned: …/range/{first five digits}.
    breachedPasswordsUrl: readUrl(env, 'GROVE_BREACHED_PASSWORDS_URL'),
    // `on` lets anyone sign up as a developer.
    hasSelfServiceDevelopers: readSwitch(env, 'GROVE_SELF_SERVICE_DEVELOPERS', !isProduction),
    // Set if the service has another origin than the console.
    apiUrl: readUrl(env, 'GROVE_AUTH_API_URL'),
    firstAdmin: readFirstAdmin(env),
  }
}

function readFirstAdmin(env: Environment): FirstAdmin | undefined {
  // The email of the first administrator; ignored once there is one.
  const email = readText(env, 'GROVE_FIRST_ADMIN')
  // The first administrator's password; without it the start prints a link to choose one.
  const password = readText(env, 'GROVE_FIRST_ADMIN_PASSWORD')
  if (email === undefined) {
    if (password === undefined) return undefined
    throw new StartupError(
      'GROVE_FIRST_ADMIN_PASSWORD is set without GROVE_FIRST_ADMIN, the email address that it belongs to.',
    )
  }
  if (emailErrors(email).length > 0)
    throw new StartupError(
      `GROVE_FIRST_ADMIN is "${email}"; it must be an email address, such as ada@example.com.`,
    )
  const errors = password === undefined ? [] : passwordErrors(password)
  if (errors.length > 0)
    throw new StartupError(
      `GROVE_FIRST_ADMIN_PASSWORD ${errors.map(({ message }) => message).join(', ')}.`,
    )
  return { email, password }
}

function readOpenIdProviders(env: Environment): OpenIdProvider[] {
  // JSON: [{ "id", "name", "issuer", "clientId", "clientSecret", "role"? }]
  const value = readText(env, 'GROVE_OPENID_PROVIDERS')
  if (value === undefined) return []
  const list = parseJson(value)
  if (!Array.isArray(list)) throw badProviders('is no JSON array')
  const providers = list.map(readProvider)
  const ids = providers.map(({ id }) => id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined)
    throw new StartupError(
      `GROVE_OPENID_PROVIDERS has two entries with the id "${twice}"; each id must be unique.`,
    )
  // Even if the embedded provider is off: the database may have been used with it before.
  if (ids.includes(embeddedProvider.id))
    throw new StartupError(
      `GROVE_OPENID_PROVIDERS has the id "${embeddedProvider.id}", which is the embedded provider’s; choose another.`,
    )
  return providers
}

function readProvider(entry: Record<string, unknown> | null, index: number): OpenIdProvider {
  const field = (name: string, pattern: RegExp) => {
    const found = entry?.[name]
    if (typeof found !== 'string' || !pattern.test(found))
      throw badProviders(`has no usable "${name}" in entry ${index + 1}`)
    return found
  }
  const role = entry?.['role'] ?? 'CUSTOMER'
  if (role !== 'CUSTOMER' && role !== 'DEVELOPER')
    throw badProviders(`has a "role" in entry ${index + 1} that is neither CUSTOMER nor DEVELOPER`)
  const issuer = field('issuer', /^https?:\/\/./)
  if (!isIssuer(issuer)) throw badProviders(`has no usable "issuer" in entry ${index + 1}`)
  return {
    id: field('id', /^[a-z0-9-]{1,32}$/),
    name: field('name', /^.{1,40}$/),
    issuer,
    clientId: field('clientId', /./),
    clientSecret: field('clientSecret', /./),
    role,
  }
}

const badProviders = (what: string) =>
  new StartupError(
    `GROVE_OPENID_PROVIDERS ${what}. It must be JSON: [{"id":"example","name":"Example","issuer":"https://id.example.com","clientId":"…","clientSecret":"…"}].`,
  )

/**
 * OpenID Connect Discovery 1.0 section 3: https, no query, no fragment; http on this machine only.
 */
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
