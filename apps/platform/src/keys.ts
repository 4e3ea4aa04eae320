import { randomBytes } from 'node:crypto'
import { rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { commandDatabaseUrl, readConfig, type Config } from './core/config.ts'
import { openDatabase, type Database } from './core/database/database.ts'
import { readConfiguredSecret, readSecret } from './core/secret.ts'
import { loadEnvironment } from './core/settings/load-environment.ts'
import { StartupError } from './core/startup-error.ts'
import { endProviderKeys } from './end-provider-keys.ts'
import {
  listKeys,
  resealSecrets,
  retireKey,
  rotateKeys,
  type KeyState,
} from './services/auth/signing-key/parts/key-commands.ts'
import type { AuthDb, AuthTables } from './services/auth/tables.ts'

const help = `The keys that sign access tokens. A server makes and retires them on its own, one a month.

  npm run keys -- list                     every published key, and what it does
  npm run keys -- rotate                   a new key: public at once, signs in about twenty minutes
  npm run keys -- retire <key id> [--yes]  for a stolen key: it is dropped at once
  npm run keys -- reseal                   another secret, for one that leaked: stop the servers first.
                                           The API keys of providers end with the old one

With PostgreSQL the servers go on working and notice within a minute. The embedded database
belongs to one process: stop the server first.`

async function main(): Promise<void> {
  const command = readCommand(process.argv.slice(2))
  if (command === undefined) return console.log(help)
  const config = readConfig(loadEnvironment(process.cwd()))
  const database = await open(config)
  try {
    await command(database.db.withTables<AuthTables>(), config)
  } finally {
    await database.close()
  }
}

type Command = (db: AuthDb, config: Config) => Promise<void>

/** @throws StartupError for anything other than the three. */
function readCommand(args: readonly string[]): Command | undefined {
  const [name = 'help', ...rest] = args
  const isSure = rest.includes('--yes')
  const [kid, ...surplus] = rest.filter((argument) => argument !== '--yes')
  if (['help', '--help', '-h'].includes(name)) return undefined
  if (name === 'list' && rest.length === 0) return list
  if (name === 'rotate' && rest.length === 0) return rotate
  if (name === 'reseal' && rest.length === 0) return reseal
  if (name === 'retire' && kid !== undefined && surplus.length === 0)
    return (db, config) => retire(db, config, kid, isSure)
  throw new StartupError(`"${args.join(' ')}" is no command for keys.\n\n${help}`)
}

async function open(config: Config): Promise<Database> {
  const { dataFolder: folder } = config
  const url = commandDatabaseUrl(config)
  if (url !== undefined) return openDatabase({ url, folder })
  // Opening the database would create one.
  const isThere = await stat(join(folder, 'database')).catch(() => undefined)
  if (!isThere)
    throw new StartupError(
      `There is no database in ${folder}: set GROVE_DATA or DATABASE_URL to the server’s value.`,
    )
  return openDatabase({ folder }).catch((error: unknown) => {
    if (!(error instanceof StartupError) || !error.message.includes('is in use by')) throw error
    throw new StartupError(
      `The server is running on ${folder}, and its embedded database belongs to one process: stop the server, run this again, then start it.`,
      { cause: error },
    )
  })
}

const list: Command = async (db) => {
  const keys = await listKeys(db, Date.now())
  for (const key of keys) console.log(`${key.kid}  ${key.state.padEnd(7)}  ${sentenceOf(key)}`)
}

function sentenceOf({ state, signsFrom, signsUntil, publicUntil }: KeyState): string {
  if (state === 'next') return `signs from ${time(signsFrom)}`
  if (state === 'retired')
    return `signed from ${time(signsFrom)}, public until ${time(publicUntil)}`
  const end = signsUntil === null ? '' : ` until ${time(signsUntil)}`
  return `signs since ${time(signsFrom)}${end}`
}

const rotate: Command = async (db, config) => {
  const { kid, signsFrom, isChanged } = await rotateKeys(db, await readSecret(config), Date.now())
  console.log(
    isChanged
      ? `Key ${kid} is public now and signs from ${time(signsFrom)}. The present one stays public for the tokens that it signed.`
      : `Nothing to do: key ${kid} is public already and signs from ${time(signsFrom)}.`,
  )
}

/**
 * The current secret is `GROVE_SECRET` or the folder's, the next `GROVE_NEW_SECRET` or one generated
 * here.
 */
const reseal: Command = async (db, config) => {
  const secret = await readSecret(config)
  const given = readConfiguredSecret({ GROVE_SECRET: process.env['GROVE_NEW_SECRET'] })
  if (config.secret !== undefined && given === undefined)
    throw new StartupError(
      'Set GROVE_NEW_SECRET to the output of: openssl rand -hex 32. GROVE_SECRET stays as it is for this command.',
    )
  const next = given ?? randomBytes(32).toString('hex')
  const file = join(config.dataFolder, 'secret')
  // On disk before the database needs it: a crash between the two leaves both secrets.
  if (config.secret === undefined)
    await writeFile(`${file}.next`, next, { mode: 0o600, flush: true })
  const count = await resealSecrets(db, { secret, next, now: Date.now() })
  const ended = await endProviderKeys(db)
  if (config.secret === undefined) await rename(`${file}.next`, file)
  console.log(
    config.secret === undefined
      ? `${count} keys and mails are sealed with a new secret, which is in ${file}.`
      : `${count} keys and mails are encrypted with GROVE_NEW_SECRET. Set GROVE_SECRET to it and start the servers.`,
  )
  if (ended > 0)
    console.log(`The API keys of ${ended} providers have ended: create new ones on their pages.`)
}

async function retire(db: AuthDb, config: Config, kid: string, isSure: boolean): Promise<void> {
  const warning = `Key ${kid} is dropped at once. Access tokens that it signed are refused within a minute by Grove's servers, within about ten minutes by services elsewhere; people stay signed in.`
  if (!isSure && !(await isConfirmed(warning))) return console.log('Nothing was changed.')
  const { signer } = await retireKey(db, await readSecret(config), kid, Date.now())
  console.log(`Key ${kid} is gone. Key ${signer} signs.`)
}

async function isConfirmed(warning: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new StartupError(`${warning} There is no terminal to confirm it: add --yes.`)
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await terminal.question(`${warning}\nType "retire" to go on: `)
  terminal.close()
  return answer.trim() === 'retire'
}

const time = (ms: number | null) =>
  ms === null ? '' : `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`

main().catch((error: unknown) => {
  console.error(error instanceof StartupError ? error.message : error)
  process.exitCode = 1
})
