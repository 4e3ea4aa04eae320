import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { commandDatabaseUrl, readConfig, type Config } from './core/config.ts'
import { applyMigrations } from './core/database/bring-up-to-date.ts'
import { openDatabase, type Database } from './core/database/database.ts'
import { readMigrationState } from './core/database/migrate.ts'
import { migrationsOf } from './core/service.ts'
import { loadEnvironment } from './core/settings/load-environment.ts'
import { StartupError } from './core/startup-error.ts'
import { services } from './services.ts'

const help = `Migrations: brings the database to this release.

  npm run migrate              applies what is pending, of all services, as a start does
  npm run migrate -- --check   changes nothing and lists what is pending. Exit code 0: nothing is,
                               1: something is, 2: that cannot be told, or the database is one that
                               this release does not work with

It is safe beside running processes of this release and the one before, and twice at once. With the
embedded database, which belongs to one process, stop the server first.`

const sources = migrationsOf(services)
const codes = { isPending: 1, isUnknown: 2 }

async function main([argument = '', ...surplus]: readonly string[]): Promise<void> {
  if (['help', '--help', '-h'].includes(argument)) return console.log(help)
  if (surplus.length > 0 || !['', '--check'].includes(argument))
    throw new StartupError(`"${[argument, ...surplus].join(' ')}" is no option.\n\n${help}`)
  const config = readConfig(loadEnvironment(process.cwd()))
  if (argument === '--check') return check(config)
  await within(config, async (database) => {
    const done = await applyMigrations(database, sources, {
      say: (line) => console.error(line),
    })
    for (const name of done) console.log(`applied  ${name}`)
    await printNewer(database)
    console.log(done.length === 0 ? 'Nothing was pending.' : 'The database is up to date.')
  })
}

async function check(config: Config): Promise<void> {
  // Opening would make one.
  const isThere =
    config.databaseUrl !== undefined ||
    (await stat(join(config.dataFolder, 'database')).catch(() => undefined)) !== undefined
  if (!isThere) {
    console.log(`There is no database in ${config.dataFolder} yet: the first start makes it.`)
    process.exitCode = codes.isPending
    return
  }
  await within(config, async (database) => {
    const { pending } = await readMigrationState(database.db, sources)
    for (const name of pending) console.log(`pending  ${name}`)
    await printNewer(database)
    if (pending.length > 0) process.exitCode = codes.isPending
    else console.log('Nothing is pending.')
  })
}

async function printNewer({ db }: Database): Promise<void> {
  const { newer } = await readMigrationState(db, sources)
  for (const name of newer) console.log(`newer    ${name}`)
  if (newer.length > 0)
    console.log('The database is newer than this release, which works with it all the same.')
}

async function within(config: Config, work: (database: Database) => Promise<void>): Promise<void> {
  const url = commandDatabaseUrl(config)
  const database = await openDatabase({ url, folder: config.dataFolder })
  try {
    await work(database)
  } finally {
    await database.close()
  }
}

const args = process.argv.slice(2)
main(args).catch((error: unknown) => {
  console.error(error instanceof StartupError ? error.message : error)
  process.exitCode = args.includes('--check') ? codes.isUnknown : 1
})
