import type { FastifyInstance } from 'fastify'
import type { JWTVerifyGetKey } from 'jose'
import type { Kysely } from 'kysely'
import type { Config } from './config.ts'
import { platformMigrations, type MigrationSource } from './database/migration-files.ts'
import type { Events, JobAction } from './events/define-events.ts'
import { readText, type Environment } from './environment.ts'
import type { ConstraintTable } from './http/error-handler.ts'
import type { AnyJobDefinitions } from './jobs/define-jobs.ts'
import type { Platform } from './platform.ts'
import type { Role } from './roles.ts'
import { Problems } from './settings/problems.ts'
import { StartupError } from './startup-error.ts'

/** One service: its tables, its settings, its calls, and the constraint names it translates. */
export interface Service {
  name: string
  /** spec §9 "Api versions"; absent for a service without calls of the contract. */
  apiVersion?: string | undefined
  /** Runs if this holds, instead of being named in `GROVE_SERVICES`. */
  runsWhen?: ((config: Config, chosen: readonly string[]) => boolean) | undefined
  /** Folder of numbered `.sql` files. */
  migrations?: URL | undefined
  constraints?: ConstraintTable | undefined
  /** Work outside of requests: rows of `<name>.job`, which its migrations create. */
  jobs?: AnyJobDefinitions | undefined
  /** The audit trail: rows of `<name>.event`, which its migrations create. */
  events?: Events<JobAction> | undefined
  /** @throws StartupError naming the variable, its value and the allowed values. */
  settings: (env: Environment, config: Config) => unknown
  /** Public keys of the access tokens that this service signs. */
  keySource?: ((platform: Platform) => Promise<JWTVerifyGetKey>) | undefined
  /** The role of the processes that register it; others use it only for its jobs. */
  role: Role
  register: (app: FastifyInstance, platform: Platform) => Promise<void>
  /** Starts background work, in processes that serve calls or run jobs. */
  work: (app: FastifyInstance, platform: Platform) => Promise<void>
  open: (platform: Platform) => Promise<unknown>
}

/** A service with the context of its functions: `(context, actor, input)`. */
export interface DefinedService<Context> extends Service {
  /** One context per platform: the routes, the token verifier and the samples share it. */
  open: (platform: Platform) => Promise<Context>
}

/** The dependencies of a service's functions; `db` may be a transaction. */
export type ServiceContext<Tables, Settings = unknown> = Omit<
  Platform,
  'db' | 'database' | 'jobs'
> & {
  db: Kysely<Tables>
  settings: Settings
}

interface Definition<Settings, Context> extends Omit<
  Service,
  'settings' | 'keySource' | 'role' | 'register' | 'work' | 'open'
> {
  /** `web` by default. */
  role?: Role
  /** Reads the service's environment variables, each documented where it is read. */
  settings: (env: Environment, config: Config) => Settings
  open: (platform: Platform, settings: Settings) => Context | Promise<Context>
  keySource?: (context: Context) => JWTVerifyGetKey
  /** Registers the service's calls. */
  register: (app: FastifyInstance, context: Context) => void | Promise<void>
  /** Starts background work. */
  work?: (app: FastifyInstance, context: Context) => void
}

export function defineService<Settings, Context>(
  definition: Definition<Settings, Context>,
): DefinedService<Context> {
  const { keySource, role = 'web', register, work, ...facts } = definition
  const opened = new WeakMap<Platform, Promise<Context>>()
  const open = (platform: Platform): Promise<Context> => {
    const known = opened.get(platform) ?? openNew(platform)
    opened.set(platform, known)
    return known
  }
  const openNew = async (platform: Platform) =>
    definition.open(platform, definition.settings(platform.env, platform.config))
  return {
    ...facts,
    role,
    open,
    ...(keySource && { keySource: async (platform: Platform) => keySource(await open(platform)) }),
    register: async (app, platform) => register(app, await open(platform)),
    work: async (app, platform) => work?.(app, await open(platform)),
  }
}

export const noSettings = (): Record<string, never> => ({})

/**
 * The services of this process, with validated settings.
 * @throws StartupError for an unknown name, or if access tokens could not be verified.
 */
export function chooseServices<S extends Service>(
  known: readonly S[],
  env: Environment,
  config: Config,
  gathered?: Problems,
): S[] {
  const problems = gathered ?? new Problems()
  const names = known.filter(({ runsWhen }) => !runsWhen).map(({ name }) => name)
  // The services that this process runs, separated by commas.
  const chosen =
    problems.at(() => readText(env, 'GROVE_SERVICES')?.split(',').map(readName)) ?? names
  const services = known.filter(({ name, runsWhen }) =>
    runsWhen ? runsWhen(config, chosen) : chosen.includes(name),
  )
  problems.at(() => checkTokenSource(known, services, config))
  problems.at(() => checkRoles(services, config))
  for (const service of services) problems.at(() => service.settings(env, config))
  if (!gathered) problems.refuse()
  return services

  function readName(text: string): string {
    const name = text.trim()
    if (!names.includes(name))
      throw new StartupError(`GROVE_SERVICES names "${name}"; it may hold: ${names.join(', ')}.`)
    return name
  }
}

function checkRoles(services: readonly Service[], { roles }: Config): void {
  // A setting may be invalid, which has been reported already.
  if (!roles || services.length === 0 || roles.includes('runner')) return
  if (!services.some(({ role }) => roles.includes(role)))
    throw new StartupError(
      `GROVE_ROLES is "${roles.join(',')}" and GROVE_SERVICES has nothing for it: this process would do nothing.`,
    )
}

function checkTokenSource(
  known: readonly Service[],
  services: readonly Service[],
  { tokens }: Config,
): void {
  const signer = known.find(({ keySource }) => keySource)
  if (!signer) return
  if (services.includes(signer) && tokens.kind === 'foreign')
    throw new StartupError(
      `GROVE_AUTH_TOKENS is foreign while GROVE_SERVICES runs ${signer.name}, which signs tokens itself. Leave ${signer.name} out of GROVE_SERVICES.`,
    )
  if (!services.includes(signer) && (tokens.jwksUrl ?? tokens.publicKey) === undefined)
    throw new StartupError(
      `GROVE_SERVICES leaves out ${signer.name}, so tokens cannot be verified. Set GROVE_AUTH_JWKS_URL to the authentication service’s key address, or GROVE_AUTH_PUBLIC_KEY to its key.`,
    )
}

/** Migrations of core come first. */
export const migrationsOf = (services: readonly Service[]): MigrationSource[] => [
  platformMigrations,
  ...services.flatMap(({ name, migrations }) =>
    migrations ? [{ service: name, folder: migrations }] : [],
  ),
]

export const apiVersionsOf = (services: readonly Service[]): Record<string, string> =>
  Object.fromEntries(
    services.flatMap(({ name, apiVersion }) => (apiVersion ? [[name, apiVersion]] : [])),
  )
