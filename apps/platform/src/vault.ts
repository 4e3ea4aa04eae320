import { randomBytes } from 'node:crypto'
import { rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { commandDatabaseUrl, readConfig, type Config } from './core/config.ts'
import { openDatabase } from './core/database/database.ts'
import { ProblemError } from './core/http/problem.ts'
import { loadEnvironment } from './core/settings/load-environment.ts'
import { StartupError } from './core/startup-error.ts'
import {
  newestOf,
  readVaultKeys,
  readVaultKeySource,
  vaultKeysText,
} from './core/vault/vault-keys.ts'
import { forgetVaultKey, readRegister } from './core/vault/vault-register.ts'
import { openKeys } from './services/maple/card/key/open-keys.ts'
import { countInHsm, rewrapKeys, sealedBy } from './services/maple/card/key/rewrap.ts'
import { readSettings } from './services/maple/base/settings.ts'
import type { MapleDb, MapleTables } from './services/maple/base/tables.ts'

const help = `The vault that holds the keys of secure elements.

  npm run vault -- status    the vault keys there are, and what each seals
  npm run vault -- add-key   another vault key: it seals what is new at once
  npm run vault -- rewrap    seals everything with the newest vault key
  npm run vault -- forget <version>
                             for a key that is lost: the platform starts without it, and what it
                             sealed stays closed

Keys in an HSM are under none of them: the tools of the HSM change and back up its own keys.
Servers keep serving. An old vault key can be taken out of the file once it seals nothing; backups
from before still need it. With the embedded database, which belongs to one process, a server that
runs rewraps within an hour by itself.`

async function main(): Promise<void> {
  const [name = 'help', ...rest] = process.argv.slice(2)
  if (['help', '--help', '-h'].includes(name)) return console.log(help)
  const config = readConfig(loadEnvironment(process.cwd()))
  const work = { status, rewrap, forget }[name]
  const lost = Number(/^[1-9]\d{0,4}$/.exec(rest[0] ?? '')?.[0])
  const isComplete = name === 'forget' ? rest.length === 1 && lost > 0 : rest.length === 0
  if (!isComplete || (name !== 'add-key' && !work))
    throw new StartupError(
      `"${process.argv.slice(2).join(' ')}" is no command for the vault.\n\n${help}`,
    )
  if (!work) return addKey(config)
  await onDatabase(config, work(config, lost))
}

const sourceOf = ({ dataFolder }: Config) => readVaultKeySource(process.env, dataFolder)

async function addKey(config: Config): Promise<void> {
  const source = sourceOf(config)
  const keys = new Map(await readVaultKeys(source))
  const version = newestOf(keys) + 1
  const key = randomBytes(32)
  if ('keys' in source)
    return console.log(
      `GROVE_VAULT_KEY holds the vault keys. Put this before them, separated by a comma, and start the servers again:\n${version}:${key.toString('hex')}`,
    )
  // All or nothing, even if the process is killed.
  const draft = `${source.file}.${version}`
  await writeFile(draft, vaultKeysText(keys.set(version, key)), { mode: 0o600, flush: true })
  await rename(draft, source.file)
  console.log(
    `Vault key ${version} is in ${source.file} and encrypts new data. Now run: npm run vault -- rewrap`,
  )
}

type Work = (db: MapleDb) => Promise<void>

const status =
  (config: Config): Work =>
  async (db) => {
    const keys = await readVaultKeys(sourceOf(config))
    const sealed = await sealedBy(db)
    const versions = [...new Set([...keys.keys(), ...sealed.keys()])].toSorted((a, b) => b - a)
    for (const version of versions) {
      const missing = keys.has(version) ? '' : ', and is MISSING'
      const newest = version === newestOf(keys) ? ', seals what is new' : ''
      console.log(
        `Vault key ${version} seals ${sealed.get(version) ?? 0} key sets and cards${newest}${missing}`,
      )
    }
    await sayHsm(db)
  }

const forget =
  (_config: Config, version: number): Work =>
  async (db) => {
    const count = (await sealedBy(db)).get(version) ?? 0
    if (count === 0 && !(await readRegister(db)).has(version))
      return console.log(`This database knows no vault key ${version}.`)
    await forgetVaultKey(db, version)
    console.log(
      `Vault key ${version} is forgotten. ${count} key sets and cards that it encrypted stay inaccessible.`,
    )
  }

const rewrap =
  (config: Config): Work =>
  async (db) => {
    const count = await rewrapKeys({ db, keys: openKeys(readSettings(process.env, config)) })
    console.log(`${count} key sets and cards are re-encrypted, all with the newest vault key.`)
    await sayHsm(db)
  }

async function sayHsm(db: MapleDb): Promise<void> {
  const count = await countInHsm(db)
  if (count > 0)
    console.log(`Key sets in an HSM: ${count}. Vault keys and backups do not cover them.`)
}

async function onDatabase(config: Config, work: Work) {
  const { dataFolder: folder } = config
  const url = commandDatabaseUrl(config)
  if (url === undefined && !(await stat(join(folder, 'database')).catch(() => undefined)))
    throw new StartupError(
      `There is no database in ${folder}: set GROVE_DATA or DATABASE_URL to the server’s value.`,
    )
  const database = await openDatabase({ url, folder }).catch((error: unknown) => {
    if (!(error instanceof StartupError) || !error.message.includes('is in use by')) throw error
    throw new StartupError(
      `The server is running on ${folder}, and its embedded database belongs to one process. It rewraps automatically within an hour; to do it now, stop the server and run this again.`,
      { cause: error },
    )
  })
  try {
    await work(database.db.withTables<MapleTables>())
  } finally {
    await database.close()
  }
}

main().catch((error: unknown) => {
  const isForPeople = error instanceof StartupError || error instanceof ProblemError
  console.error(isForPeople ? error.message : error)
  process.exitCode = 1
})
