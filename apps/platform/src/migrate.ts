import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { commandDatabaseUrl, readConfig, type Config } from './core/config.ts'
import { applyMigrations } from './core/database/bring-up-to-date.ts'
import { openDatabase, openStore, type Store } from './core/database/database.ts'
import { readMigrationState } from './core/database/migrate.ts'
import type { MigrationSource } from './core/database/migration-files.ts'
import { migrationsOf } from './core/service.ts'
import { loadEnvironment } from './core/settings/load-environment.ts'
import { StartupError } from './core/startup-error.ts'
import { services } from './services.ts'
import { telemetryMigrations } from './services/maple/index.ts'

const help = `Migrations: brings the database to this release.

  npm run migrate              applies what is pending, of all services, as a start does
  npm run migrate -- --check   changes nothing and lists what is pending. Exit code 0: nothing is,
                               1: something is, 2: that cannot be told, or the database is one that
                               this release does not work with

It is safe beside running processes of this release and the one before, and twice at once. With the
embedded database, which belongs to one process, stop the server first.`

const codes = { isPending: 1, isUnknown: 2 }

async function main([argument = '', ...surplus]: readonly string[]): Promise<void> {
  if (['help', '--help', '-h'].includes(argument)) return console.log(help)
  if (surplus.length > 0 || !['', '--check'].includes(argument))
    throw new StartupError(`"${[argument, ...surplus].join(' ')}" is no option.\n\n${help}`)
  const config = readConfig(loadEnvironment(process.cwd()))
  if (argument === '--check') return check(config)
  let count = 0
  await eachDatabase(config, async ({ store, sources }) => {
    const done = await applyMigrations(store, sources, { say: (line) => console.error(line) })
    for (const name of done) console.log(`applied  ${name}`)
    count += done.length
    await printNewer({ store, sources })
  })
  console.log(count === 0 ? 'Nothing was pending.' : 'The database is up to date.')
}

async function check(config: Config): Promise<void> {
  // Opening the database would create one.
  const isThere =
    config.databaseUrl !== undefined ||
    (await stat(join(config.dataFolder, 'database')).catch(() => undefined)) !== undefined
  if (!isThere) {
    console.log(`There is no database in ${config.dataFolder} yet: the first start makes it.`)
    process.exitCode = codes.isPending
    return
  }
  let count = 0
  await eachDatabase(config, async (target) => {
    const { pending } = await readMigrationState(target.store.db, target.sources)
    for (const name of pending) console.log(`pending  ${name}`)
    count += pending.length
    await printNewer(target)
  })
  if (count > 0) process.exitCode = codes.isPending
  else console.log('Nothing is pending.')
}

interface Target {
  store: Store
  sources: readonly MigrationSource[]
}

async function printNewer({ store, sources }: Target): Promise<void> {
  const { newer } = await readMigrationState(store.db, sources)
  for (const name of newer) console.log(`newer    ${name}`)
  if (newer.length > 0)
    console.log('The database is newer than this release, which works with it all the same.')
}

/** The database, and the telemetry database if it is a different one. */
async function eachDatabase(
  config: Config,
  work: (target: Target) => Promise<void>,
): Promise<void> {
  const url = commandDatabaseUrl(config)
  const database = await openDatabase({ url, folder: config.dataFolder })
  const telemetry = config.telemetryUrl === undefined ? undefined : openStore(config.telemetryUrl)
  try {
    await work({ store: database, sources: migrationsOf(services) })
    if (!telemetry) return
    await telemetry.ping().catch((cause: Error) => {
      throw new StartupError(
        `PostgreSQL at TELEMETRY_URL does not answer (${cause.message}): start it, or correct TELEMETRY_URL.`,
        { cause },
      )
    })
    await work({ store: telemetry, sources: [telemetryMigrations] })
  } finally {
    await telemetry?.close()
    await database.close()
  }
}

const args = process.argv.slice(2)
main(args).catch((error: unknown) => {
  console.error(error instanceof StartupError ? error.message : error)
  process.exitCode = args.includes('--check') ? codes.isUnknown : 1
})
