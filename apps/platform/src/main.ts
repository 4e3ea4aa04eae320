import { mkdir } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { inspect } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { readConfig, type Config } from './core/config.ts'
import { bringUpToDate, type MigrateChoice } from './core/database/bring-up-to-date.ts'
import { isDatabaseUnavailable } from './core/database/unavailable.ts'
import { databaseClock } from './core/database/clock.ts'
import { openDatabase, openStore, type Store } from './core/database/database.ts'
import type { DatabaseLog } from './core/database/pools.ts'
import { openReplica } from './core/database/replica.ts'
import type { Environment } from './core/environment.ts'
import { buildApp } from './core/http/app.ts'
import { requireNames } from './core/http/host-check.ts'
import { openPreviewListener } from './core/http/preview-listener.ts'
import { openMailer } from './core/mail/mailer.ts'
import { openObjects } from './core/objects/open-objects.ts'
import type { Platform } from './core/platform.ts'
import { apiVersionsOf, chooseServices, migrationsOf, type Service } from './core/service.ts'
import { runsSessions } from './core/roles.ts'
import { sayInLines, sayPlainly } from './core/say.ts'
import { loadEnvironment } from './core/settings/load-environment.ts'
import { Problems } from './core/settings/problems.ts'
import { StartupError } from './core/startup-error.ts'
import { openStream } from './core/stream/stream.ts'
import { startTracing } from './core/tracing/start-tracing.ts'
import { readVaultKeySource, requireNamedVaultKey } from './core/vault/vault-keys.ts'
import { offerFirstAdmin } from './first-admin.ts'
import { closeSampleAccounts, sampleSignIns } from './sample/sample-accounts.ts'
import { readSample } from './sample/sample-setting.ts'
import { createSampleWorkspace } from './sample/workspace.ts'
import { services as known } from './services.ts'
import { auth } from './services/auth/index.ts'
import { cedar } from './services/cedar/index.ts'
import { dev } from './services/dev/index.ts'
import { maple, telemetryMigrations } from './services/maple/index.ts'

// Longer than any request except an upload on a slow line; including the seconds before it, shorter
// than a container's grace period.
const shutdownMs = 20_000

// The settings may change this, but errors in them are reported this way.
let say = process.env['GROVE_ENV'] === 'production' ? sayInLines : sayPlainly

async function main(): Promise<void> {
  const problems = new Problems()
  const env = loadEnvironment(process.cwd(), problems)
  const config = readConfig(env, problems)
  problems.at(() => requireNames(config))
  const wantsSample = problems.at(() => readSample(env, config)) ?? false
  const services = chooseServices(known, env, config, problems)
  if (services.includes(maple) && runsSessions(config.roles ?? []))
    problems.at(() => requireNamedVaultKey(readVaultKeySource(env, config.dataFolder), config))
  problems.refuse()
  say = config.isProduction ? sayInLines : sayPlainly
  const isWeb = config.roles.includes('web')
  const hasSample = wantsSample && isWeb && services.includes(auth)
  let app: FastifyInstance | undefined
  // What this process depends on is opened before the server, which has the log.
  const log: DatabaseLog = {
    warn: (fields, message) => (app ? app.log.warn(fields, message) : say.warn(fields, message)),
  }
  const stopTracing = await startTracing(env, log.warn)
  const platform = await openPlatform(env, config, services, log)
  try {
    await bringUpToDate(platform.database, migrationsOf(services), config.migrates, say)
    if (platform.telemetry) await bringUpStore(platform.telemetry, config.migrates)
    app = await buildApp(platform, services)
    if (isWeb) await (hasSample ? createSampleWorkspace : closeSampleAccounts)(platform)
    const address = await listen(app, config)
    stopOnSignal(app, platform, stopTracing)
    announce(address, platform, hasSample)
    const firstAdmin = isWeb ? await offerFirstAdmin(platform, address) : undefined
    if (firstAdmin !== undefined) say.info(`\n${firstAdmin}`)
  } catch (error) {
    // Its jobs would query a closed database.
    await app?.close()
    await closeDatabases(platform)
    throw error
  }
}

async function openPlatform(
  env: Environment,
  config: Config,
  services: readonly Service[],
  log: DatabaseLog,
): Promise<Platform> {
  await mkdir(config.dataFolder, { recursive: true, mode: 0o700 }).catch(
    (cause: NodeJS.ErrnoException) => {
      throw new StartupError(
        `The data folder ${config.dataFolder} cannot be created (${cause.code}). Give this user write access or set GROVE_DATA to another folder.`,
        { cause },
      )
    },
  )
  const database = await openDatabase({
    url: config.databaseUrl,
    directUrl: config.databaseDirectUrl,
    connections: config.databaseConnections,
    folder: config.dataFolder,
    log,
  })
  const replica =
    config.databaseReadUrl === undefined
      ? undefined
      : await openReplica(database.db, {
          url: config.databaseReadUrl,
          maxLagMs: config.maxReadLagMs,
          connections: config.databaseConnections,
          isPooled: config.databaseDirectUrl !== undefined,
          log,
        })
  const objects = await openObjects(config)
  if (config.objects)
    await objects.ping().catch((error: Error) => say.error(`${error.message}. Starting.`))
  const mailer = openMailer(config)
  return {
    config,
    env,
    database,
    db: database.db,
    direct: database.direct,
    replica,
    telemetry:
      config.telemetryUrl === undefined
        ? undefined
        : openStore(config.telemetryUrl, { connections: config.databaseConnections, log }),
    stream: config.stream && openStream(config.stream, log),
    objects,
    mailer,
    preview:
      services.includes(cedar) && config.roles.includes('web')
        ? await openPreviewListener(config)
        : undefined,
    now: (await databaseClock(database.db)).now,
    apiVersions: apiVersionsOf(known),
    services: services.map(({ name }) => name),
  }
}

async function closeDatabases({ database, replica, telemetry, stream }: Platform): Promise<void> {
  await stream?.close()
  await replica?.close()
  await telemetry?.close()
  await database.close()
}

const storePollMs = 5000

/** Grove starts without the telemetry store, and migrates it once it is available. */
async function bringUpStore(store: Store, choice: MigrateChoice): Promise<void> {
  const bringUp = () => bringUpToDate(store, [telemetryMigrations], choice, say)
  await bringUp().catch((error: Error) => {
    if (!isDatabaseUnavailable(error)) throw error
    say.error(`PostgreSQL at TELEMETRY_URL does not answer (${error.message}). Starting.`)
    void (async () => {
      for (let isThere = false; !isThere;) {
        await wait(storePollMs, undefined, { ref: false })
        isThere = await bringUp().then(
          () => true,
          (again: Error) => {
            if (!isDatabaseUnavailable(again)) say.error(again.message)
            return false
          },
        )
      }
    })()
  })
}

const listen = (app: FastifyInstance, config: Config): Promise<string> =>
  app.listen({ host: config.host, port: config.port }).catch((error) => {
    throw new StartupError(listenSentence(error, config), { cause: error })
  })

function announce(address: string, platform: Platform, hasSample: boolean): void {
  say.info(`\nGrove is ready: ${address}\n`)
  if (!hasSample) return
  for (const { role, email, password } of sampleSignIns)
    console.log(`  ${role.padEnd(10)} ${email.padEnd(22)} ${password}`)
  if (platform.services.includes(dev.name) && !platform.config.mailUrl)
    console.log(`\n  Mails are kept here: ${address}/dev/mail`)
  console.log('\nPress Ctrl-C to stop.')
}

function listenSentence(error: NodeJS.ErrnoException, { host, port }: Config): string {
  if (error.code === 'EADDRINUSE')
    return `Port ${port} on ${host} is taken. Stop the other program or set GROVE_PORT to a free port.`
  if (error.code === 'EACCES')
    return `Port ${port} needs more rights than this user has. Set GROVE_PORT to 1024 or above.`
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return `GROVE_HOST is ${host}, which is not an address of this machine. Set it to 127.0.0.1 or 0.0.0.0.`
  return `The server cannot listen on ${host}:${port} (${error.code ?? error.message}).`
}

/**
 * Makes load balancers choose another process, stops accepting connections, finishes running
 * requests, and closes the database; a second signal quits.
 */
function stopOnSignal(
  app: FastifyInstance,
  platform: Platform,
  stopTracing: () => Promise<void>,
): void {
  let isStopping = false
  const stop = async () => {
    if (isStopping) process.exit(1)
    isStopping = true
    say.info('\nStopping: finishing running requests. Press Ctrl-C again to quit at once.')
    app.announceStop()
    await wait(platform.config.drainMs)
    setTimeout(() => process.exit(1), shutdownMs)
    // A connection that becomes idle after its last response would otherwise be kept alive for
    // minutes.
    setInterval(() => app.server.closeIdleConnections(), 100)
    await app.close()
    await closeDatabases(platform)
    await stopTracing()
    process.exit(0)
  }
  process.on('SIGINT', () => void stop())
  process.on('SIGTERM', () => void stop())
}

main().catch((error: unknown) => {
  say.error(error instanceof StartupError ? error.message : inspect(error))
  process.exit(1)
})
