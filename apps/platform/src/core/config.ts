import { resolve } from 'node:path'
import {
  isLoopbackName,
  readChoice,
  readInteger,
  readSwitch,
  readText,
  readUrl,
  type Environment,
} from './environment.ts'
import type { BackupPlan } from './backup/schedule.ts'
import { migrateChoices, type MigrateChoice } from './database/bring-up-to-date.ts'
import type { Side } from './database/hosts.ts'
import { isPostgresAddress } from './database/pools.ts'
import { readTokenRules, type TokenRules } from './http/token-rules.ts'
import type { UploadLimits } from './http/upload-slots.ts'
import { readPreviewSettings, type PreviewSettings } from './http/preview-address.ts'
import { readMailFrom } from './mail/mail-from.ts'
import { readObjectsUrl, type S3Address } from './objects/s3-address.ts'
import { readRoles, type Role } from './roles.ts'
import { readStreamAddress, type StreamAddress } from './stream/stream-address.ts'
import { readConfiguredSecret } from './secret.ts'
import { Problems } from './settings/problems.ts'
import { StartupError } from './startup-error.ts'

/**
 * The process's own settings. Each service reads its own (`defineService`). Every variable is
 * documented where it is read.
 */
export interface Config {
  host: string
  port: number
  /** Absolute path of the data folder. */
  dataFolder: string
  isProduction: boolean
  /** Only this machine can reach the process: loopback, no proxy, not production. */
  isLocal: boolean
  databaseUrl: string | undefined
  /** The same database without the pooler at `databaseUrl`. */
  databaseDirectUrl: string | undefined
  /** Streaming replicas for reads that may be a few seconds old. */
  databaseReadUrl: string | undefined
  /** The maximum lag of a replica in milliseconds. */
  maxReadLagMs: number
  /** A separate PostgreSQL for the devices' data points; undefined: the database. */
  telemetryUrl: string | undefined
  /** A stream in which messages of devices wait for the database; undefined: none. */
  stream: StreamAddress | undefined
  /** The number of connections of a process, and the additional ones of a gateway for its devices. */
  databaseConnections: number
  deviceDatabaseConnections: number
  /** The roles of this process. */
  roles: readonly Role[]
  /** Whether a start applies pending migrations, or refuses to run with any. */
  migrates: MigrateChoice
  /** The bucket for objects; undefined: the data folder. */
  objects: S3Address | undefined
  logLevel: string
  /** Take the client's IP address from `X-Forwarded-For`. */
  trustsProxy: boolean
  /**
   * The number of proxies in front, one behind the other, each of which adds the address that it saw.
   */
  proxies: number
  realm: string
  tokens: TokenRules
  /** The origin at which people open Grove; undefined: a loopback request's own origin. */
  publicUrl: string | undefined
  preview: PreviewSettings
  /** Host names of this server, in lower case; none: any, outside production. */
  hosts: readonly string[]
  /** Origins of web applications elsewhere that may call this server from a browser. */
  allowedOrigins: readonly string[]
  /** The mail server; undefined writes mail into the data folder, or sends none in production. */
  mailUrl: string | undefined
  mailFrom: string
  /** Changes that one account may make per minute, in each process; 0: no limit. */
  changesPerMinute: number
  uploads: UploadLimits
  /** From the first stop signal until connections are refused, in milliseconds. */
  drainMs: number
  /**
   * Opens `/metrics` to requests with this bearer token; without one only this machine can read it.
   */
  metricsToken: string | undefined
  /** Whether the API reference is served at `/api/docs`. */
  hasDocs: boolean
  /** Retention of events in days; 0 keeps them all. */
  eventDays: number
  /**
   * Encrypts secrets in the database; if unset, one is created in the data folder (core/secret.ts).
   */
  secret: string | undefined
  /** Backups that a process with the role `runner` makes on a schedule. */
  backups: BackupPlan | undefined
}

const maxProxies = 5

/** `on` behind a proxy that adds the client's address to `X-Forwarded-For`; a number behind several. */
function readProxies(env: Environment): number {
  const counts = Array.from({ length: maxProxies }, (_, more) => String(more + 1))
  const choice = readChoice(env, 'GROVE_TRUST_PROXY', ['off', 'on', ...counts], 'off')
  return choice === 'off' ? 0 : choice === 'on' ? 1 : Number(choice)
}

/**
 * Adds the faults to `gathered` and leaves those fields undefined; without `gathered` it throws.
 * @throws StartupError naming each variable, its value and the allowed values.
 */
export function readConfig(env: Environment, gathered?: Problems): Config {
  const problems = gathered ?? new Problems()
  // If a setting is refused, the start ends before anything uses it.
  const at = <T>(read: () => T) => problems.at(read) as T
  // `production` refuses sample accounts and a missing secret, and turns off developer sign-up.
  const isProduction =
    at(() => readChoice(env, 'GROVE_ENV', ['local', 'production'], 'local')) === 'production'
  // The address to listen on. Anything but loopback makes the sample accounts unavailable.
  const host = readText(env, 'GROVE_HOST') ?? '127.0.0.1'
  const proxies = at(() => readProxies(env))
  const trustsProxy = proxies > 0
  const publicUrl = at(() => readPublicUrl(env, isProduction))
  const isLocal = isLoopbackName(host) && !isProduction && !trustsProxy
  // PostgreSQL 15 or newer; without it the embedded database in the data folder.
  const databaseUrl = at(() => readDatabaseUrl(env, 'DATABASE_URL'))
  const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const
  const config: Config = {
    host,
    // 0 takes any free port.
    port: at(() => readInteger(env, 'GROVE_PORT', { least: 0, most: 65535, fallback: 3000 })),
    // Database, objects, keys and mail of the embedded platform.
    dataFolder: resolve(readText(env, 'GROVE_DATA') ?? '.grove'),
    isProduction,
    isLocal,
    databaseUrl,
    // Bypasses PgBouncer in transaction mode at DATABASE_URL: notices and migrations need sessions.
    databaseDirectUrl: at(() => readDatabaseUrl(env, 'DATABASE_DIRECT_URL')),
    databaseReadUrl: at(() => readDatabaseUrl(env, 'DATABASE_READ_URL', 'replica')),
    maxReadLagMs:
      1000 *
      at(() => readInteger(env, 'GROVE_READ_LAG_SECONDS', { least: 1, most: 3600, fallback: 10 })),
    // The devices' data points and hourly values in a separate PostgreSQL.
    telemetryUrl: at(() => readTelemetryUrl(env, databaseUrl)),
    // Messages of devices wait in a NATS stream; see stream/stream-address.ts.
    stream: at(() => readStreamAddress(env)),
    databaseConnections: at(() =>
      readInteger(env, 'GROVE_DATABASE_CONNECTIONS', { least: 2, most: 1000, fallback: 10 }),
    ),
    deviceDatabaseConnections: at(() =>
      readInteger(env, 'GROVE_DEVICE_DATABASE_CONNECTIONS', { least: 1, most: 1000, fallback: 10 }),
    ),
    roles: at(() => readRoles(env, databaseUrl)),
    // `check` if `npm run migrate` is a separate step before a release starts.
    migrates: at(() => readChoice(env, 'GROVE_MIGRATE', migrateChoices, 'start')),
    // Packages and images in a bucket instead of the data folder; see objects/s3-address.ts.
    objects: at(() => readObjectsUrl(env)),
    // The minimum severity of log lines, written as JSON to standard output.
    logLevel: at(() => readChoice(env, 'GROVE_LOG', logLevels, isProduction ? 'info' : 'warn')),
    trustsProxy,
    proxies,
    // The authentication realm: `provider` of every authentication call (spec §1).
    realm: readText(env, 'GROVE_REALM') ?? 'grove',
    tokens: at(() => readTokenRules(env)),
    publicUrl,
    preview: at(() => readPreviewSettings(env, publicUrl, isProduction)),
    hosts: at(() => readHosts(env, publicUrl)),
    allowedOrigins: at(() => readOrigins(env)),
    // `smtp://user:password@host:587` or `smtps://…`.
    mailUrl: at(() => readUrl(env, 'MAIL_URL', ['smtp:', 'smtps:'])),
    mailFrom: at(() => readMailFrom(env)),
    // Changes that one account may make per minute; 0 removes the limit.
    changesPerMinute: at(() =>
      readInteger(env, 'GROVE_CHANGES_PER_MINUTE', { least: 0, most: 1_000_000, fallback: 600 }),
    ),
    uploads: { most: 4, perAccount: 2 },
    // Seconds between the first stop signal, when `/readyz` begins to fail, and the end of the
    // listener: longer than a balancer takes to notice.
    drainMs:
      1000 *
      at(() =>
        readInteger(env, 'GROVE_DRAIN_SECONDS', { least: 0, most: 300, fallback: isLocal ? 0 : 5 }),
      ),
    // At least 16 characters, sent as `Authorization: Bearer …`.
    metricsToken: at(() => readMetricsToken(env)),
    // `on` serves a page with third-party scripts on the origin that holds people's tokens.
    hasDocs: at(() => readSwitch(env, 'GROVE_DOCS', !isProduction)),
    // Retention of audit events in days; 0 keeps all.
    eventDays: at(() =>
      readInteger(env, 'GROVE_EVENT_DAYS', { least: 0, most: 36_500, fallback: 400 }),
    ),
    secret: at(() => readConfiguredSecret(env)),
    backups: at(() => readBackups(env)),
  }
  if (!gathered) problems.refuse()
  return config
}

function readBackups(env: Environment): BackupPlan | undefined {
  const folder = readText(env, 'GROVE_BACKUP_FOLDER')
  const hours = readInteger(env, 'GROVE_BACKUP_HOURS', { least: 1, most: 8760, fallback: 24 })
  const keep = readInteger(env, 'GROVE_BACKUP_KEEP', { least: 1, most: 10_000, fallback: 7 })
  return folder === undefined
    ? undefined
    : { folder: resolve(folder), everyMs: hours * 3_600_000, keep }
}

/** One host or several: `postgres://user:password@one,two:5433/database`. */
function readDatabaseUrl(env: Environment, name: string, side?: Side): string | undefined {
  const value = readText(env, name)
  if (value === undefined) return undefined
  // The message does not repeat the value, which may contain a password.
  if (!isPostgresAddress(value, side))
    throw new StartupError(
      `${name} is not an address that starts with postgres:// or postgresql://.`,
    )
  return value
}

function readTelemetryUrl(env: Environment, databaseUrl: string | undefined): string | undefined {
  const url = readDatabaseUrl(env, 'TELEMETRY_URL')
  if (url !== undefined && databaseUrl === undefined)
    throw new StartupError(
      'TELEMETRY_URL is set without DATABASE_URL: the embedded database keeps measurements itself. Set both, or neither.',
    )
  if (url !== undefined && url === databaseUrl)
    throw new StartupError(
      'TELEMETRY_URL is DATABASE_URL: name another database, or remove it to keep measurements there.',
    )
  return url
}

function readPublicUrl(env: Environment, isProduction: boolean): string | undefined {
  // Required for external login and mail if people do not open Grove on loopback.
  const address = readUrl(env, 'GROVE_CONSOLE_URL')
  if (address === undefined) return undefined
  const { origin, href, protocol, hostname } = new URL(address)
  // Pages are served at the root: silently dropping a path would create dead links.
  if (href !== `${origin}/`)
    throw new StartupError(
      'GROVE_CONSOLE_URL must be an origin without a path, such as https://grove.example.com.',
    )
  // Passwords and tokens could be read in transit, except on this machine.
  if (isProduction && protocol === 'http:' && !isLoopbackName(hostname))
    throw new StartupError(
      'GROVE_CONSOLE_URL starts with http://, and GROVE_ENV=production needs https://: put a proxy with a certificate in front of Grove, and set the address that people open, such as https://grove.example.com.',
    )
  return origin
}

function readMetricsToken(env: Environment): string | undefined {
  const token = readText(env, 'GROVE_METRICS_TOKEN')
  if (token !== undefined && token.length < 16)
    throw new StartupError(
      'GROVE_METRICS_TOKEN is too short: it must have 16 characters or more. Set it to the output of: openssl rand -hex 32',
    )
  return token
}

function readHosts(env: Environment, publicUrl: string | undefined): readonly string[] {
  // Further host names of this server besides that of GROVE_CONSOLE_URL, separated by commas, without
  // a port: api.example.com,grove.internal
  const list = readText(env, 'GROVE_HOSTS')?.split(',') ?? []
  const names = list.map((part) => {
    const name = part.trim().toLowerCase()
    if (!URL.canParse(`http://${name}`) || new URL(`http://${name}`).hostname !== name)
      throw new StartupError(
        `GROVE_HOSTS names "${name}"; a name looks like grove.example.com, without a port.`,
      )
    return name
  })
  return publicUrl === undefined ? names : [new URL(publicUrl).hostname, ...names]
}

function readOrigins(env: Environment): readonly string[] {
  // Separated by commas: https://app.example.com
  const list = readText(env, 'GROVE_ALLOWED_ORIGINS')?.split(',') ?? []
  return list.map((part) => {
    const origin = part.trim()
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      throw new StartupError(
        `GROVE_ALLOWED_ORIGINS names "${origin}"; an origin looks like https://app.example.com, without a path.`,
      )
    return origin
  })
}

/** The database URL for commands on this machine, which need a single session. */
export const commandDatabaseUrl = ({
  databaseUrl,
  databaseDirectUrl,
}: Config): string | undefined => databaseUrl && (databaseDirectUrl ?? databaseUrl)
