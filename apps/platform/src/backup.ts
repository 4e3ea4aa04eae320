import { mkdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import type { BackupContent } from './core/backup/backup-file.ts'
import { noteBackup } from './core/backup/backup-log.ts'
import { backupPath, backupToken } from './core/backup/backup.routes.ts'
import { hashOf, keepBackup } from './core/backup/make-backup.ts'
import { restoreBackup, verifyBackup } from './core/backup/restore-backup.ts'
import { writeBackup } from './core/backup/write-backup.ts'
import { commandDatabaseUrl, readConfig, type Config } from './core/config.ts'
import { openDatabase } from './core/database/database.ts'
import { openObjects } from './core/objects/open-objects.ts'
import { readSecret } from './core/secret.ts'
import { migrationsOf } from './core/service.ts'
import { loadEnvironment } from './core/settings/load-environment.ts'
import { StartupError } from './core/startup-error.ts'
import { services } from './services.ts'

const help = `Backups of the database, the stored files and the secret of the data folder, in one file.

  npm run backup -- FILE    makes one, also while the server runs
  npm run restore -- FILE   puts one into an empty data folder, or an empty PostgreSQL database

A backup holds the secret that seals the signing keys, unless GROVE_SECRET is set: keep it safe.
With GROVE_SECRET its hashes are keyed, so that nobody else can write one. Without, they show damage
alone. To restore it, set the GROVE_SECRET that it was made with.
It holds no vault keys (GROVE_VAULT_KEY, GROVE_VAULT_KEY_FILE or the file vault-keys of the data
folder) and no keys of an HSM. Without them nobody opens the keys of secure elements: back them up
separately.`

async function main([command, name, ...surplus]: readonly string[]): Promise<void> {
  if (name === undefined || surplus.length > 0) return console.log(help)
  const config = readConfig(loadEnvironment(process.cwd()))
  const file = resolve(name)
  if (command === 'backup') return backup(config, file)
  if (command === 'restore') return restore(config, file)
  console.log(help)
}

async function backup(config: Config, file: string): Promise<void> {
  if (await exists(file)) throw new StartupError(`${file} exists already: choose another name.`)
  const { entries, isKeyed } = await makeBackup(config, file)
  console.log(`${file} is made and verified: ${entries} entries, SHA-256 ${await hashOf(file)}.`)
  if (!isKeyed)
    console.log(
      'Its hashes show damage, not forgery, because its secret is in it: set GROVE_SECRET for that.',
    )
  if (config.telemetryUrl !== undefined)
    console.log(
      'Measurements at TELEMETRY_URL are not in it: back them up with PostgreSQL’s tools.',
    )
  console.log('Vault keys and keys in an HSM are not in it: back them up separately.')
}

async function makeBackup(config: Config, file: string): Promise<BackupContent> {
  const { dataFolder: folder, secret } = config
  const url = commandDatabaseUrl(config)
  if (url === undefined && !(await exists(join(folder, 'database', 'PG_VERSION'))))
    throw new StartupError(
      `There is no database in ${folder}: set GROVE_DATA or DATABASE_URL to the server’s value.`,
    )
  const database = await openDatabase({ url, folder }).catch((error: unknown) => {
    if (error instanceof StartupError && error.message.includes('is in use by')) return undefined
    throw error
  })
  if (!database) return keepBackup({ file, content: await askServer(config), secret })
  try {
    const objects = await openObjects(config)
    const content = writeBackup({ db: database.db, objects, config })
    const made = await keepBackup({ file, content, secret })
    await noteBackup(database.db)
    return made
  } finally {
    await database.close()
  }
}

/** The embedded database belongs to the running server. */
async function askServer(config: Config): Promise<Readable> {
  const host = ['0.0.0.0', '::'].includes(config.host) ? '127.0.0.1' : config.host
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${config.port}`
  const authorization = `Bearer ${backupToken(await readSecret(config))}`
  const answer = await fetch(`${address}${backupPath}`, { headers: { authorization } }).catch(
    (cause: unknown) => {
      throw new StartupError(
        `The server uses the database and is not responding at ${address}: set GROVE_PORT as it has it, or stop it.`,
        { cause },
      )
    },
  )
  if (!answer.ok || !answer.body)
    throw new StartupError(
      `The server at ${address} gives no backup (${answer.status}): set GROVE_PORT, GROVE_DATA and GROVE_SECRET as it has them, or stop it.`,
    )
  return Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0])
}

async function restore(config: Config, file: string): Promise<void> {
  const { dataFolder: folder } = config
  const url = commandDatabaseUrl(config)
  if (!(await exists(file))) throw new StartupError(`There is no file ${file}.`)
  const { entries, isKeyed } = await verifyBackup(file, config.secret)
  if (!isKeyed) console.error(unkeyedWarning(file, config))
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of ['database', 'objects', 'secret'])
    if (await exists(join(folder, name)))
      throw new StartupError(
        `The data folder ${folder} is not empty: move it aside, or set GROVE_DATA to another folder.`,
      )
  const database = await openDatabase({ url, folder })
  try {
    const { rows } = await sql<{ isUsed: boolean }>`
      select to_regclass('grove.migration') is not null as "isUsed"`.execute(database.db)
    if (rows[0]?.isUsed)
      throw new StartupError('The database is not empty: set DATABASE_URL to a new one.')
    const objects = await openObjects(config)
    const migrations = migrationsOf(services)
    await restoreBackup(file, { db: database.db, objects, config, migrations })
  } finally {
    await database.close()
  }
  console.log(`${file} is verified and restored: ${entries} entries. Start with: npm start`)
}

const unkeyedWarning = (file: string, { secret }: Config) =>
  secret === undefined
    ? `Warning: the hashes of ${file} show damage, not who wrote it: they are not keyed with a GROVE_SECRET.`
    : `Warning: the hashes of ${file} are not keyed with GROVE_SECRET. An earlier version made it, or a Grove without GROVE_SECRET, or somebody who could write the file: start with it only if you know where it comes from.`

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof StartupError ? error.message : error)
  process.exitCode = 1
})
