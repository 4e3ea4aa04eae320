import { isEmail } from '@grove/auth-client/rules'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { commandDatabaseUrl, readConfig, type Config } from './core/config.ts'
import { databaseClock } from './core/database/clock.ts'
import { openDatabase, type Database } from './core/database/database.ts'
import { loadEnvironment } from './core/settings/load-environment.ts'
import { StartupError } from './core/startup-error.ts'
import {
  accountsBeyondScope,
  type BeyondScope,
} from './services/maple/access/account/beyond-scope.ts'
import type { MapleTables } from './services/maple/base/tables.ts'
import { sentenceOf } from './first-admin.ts'
import { makeAdmin } from './services/auth/account-admin/make-admin.ts'
import type { AuthTables } from './services/auth/tables.ts'

const help = `People: the first administrator, and accounts of Maple that reach further than who made them.

  npm run accounts -- admin EMAIL    makes the owner of an address an administrator: an account that
                                     is there, or a link with which they make one. One whose
                                     address nobody confirmed needs --unconfirmed
  npm run accounts -- beyond-scope   accounts that somebody limited to one service provider made or
                                     widened beyond it, from the audit trail; changes nothing

Delete what nobody should have, or give it its service provider, on the People page. With the
embedded database, which belongs to one process, stop the server first.`

async function main(): Promise<void> {
  const command = readCommand(process.argv.slice(2))
  if (command === undefined) return console.log(help)
  const config = readConfig(loadEnvironment(process.cwd()))
  const database = await open(config)
  try {
    await command(database, config)
  } finally {
    await database.close()
  }
}

type Command = (database: Database, config: Config) => Promise<void>

/** @throws StartupError for anything else. */
function readCommand(args: readonly string[]): Command | undefined {
  const [name = 'help', ...rest] = args
  if (['help', '--help', '-h'].includes(name)) return undefined
  if (name === 'beyond-scope' && rest.length === 0) return beyondScope
  const isTrusted = rest.includes('--unconfirmed')
  const [email, ...surplus] = rest.filter((argument) => argument !== '--unconfirmed')
  if (name === 'admin' && email !== undefined && surplus.length === 0) {
    if (!isEmail(email))
      throw new StartupError(`"${email}" is not an email address such as ada@example.com.`)
    return (database, config) => admin(database, config, { email, isTrusted })
  }
  throw new StartupError(`"${args.join(' ')}" is no command for accounts.\n\n${help}`)
}

/** PostgreSQL's code for a table that does not exist. */
const noTable = '42P01'

async function admin(
  { db }: Database,
  { publicUrl, port }: Config,
  { email, isTrusted }: { email: string; isTrusted: boolean },
): Promise<void> {
  const context = { db: db.withTables<AuthTables>(), now: (await databaseClock(db)).now }
  const made = await makeAdmin(context, { by: 'npm run accounts', email, isTrusted }).catch(
    (error: { code?: string }) => {
      if (error.code !== noTable) throw error
      throw new StartupError(
        'The database has no accounts yet: start the server once, then run this.',
      )
    },
  )
  const sentence = sentenceOf(made, email, publicUrl ?? `http://127.0.0.1:${port}`)
  if (made.kind === 'unconfirmed') throw new StartupError(sentence)
  console.log(sentence)
}

async function beyondScope({ db }: Database): Promise<void> {
  const found = await accountsBeyondScope(db.withTables<MapleTables>())
  for (const each of found) console.log(lineOf(each))
  console.log(
    found.length === 0
      ? 'No account reaches further than who made it.'
      : `${found.length} ${found.length === 1 ? 'change' : 'changes'} made accounts reach further than who made them.`,
  )
}

async function open(config: Config): Promise<Database> {
  const { dataFolder: folder } = config
  const url = commandDatabaseUrl(config)
  if (url !== undefined) return openDatabase({ url, folder })
  // Opening the database would create one.
  const isThere = await stat(join(folder, 'database')).catch(() => undefined)
  if (isThere) return openDatabase({ folder })
  throw new StartupError(
    `There is no database in ${folder}: set GROVE_DATA or DATABASE_URL to the server’s value.`,
  )
}

function lineOf(found: BeyondScope): string {
  const { at, action, account, serviceId, actor, actorServiceId, exists } = found
  const reach = serviceId === null ? 'every service provider' : `service provider ${serviceId}`
  const limit =
    actorServiceId === null
      ? 'whose own account is in this list'
      : `limited to service provider ${actorServiceId}`
  const time = `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return `${time}  ${action}  account ${account} of ${reach}, by ${actor}, ${limit}${exists ? '' : '; deleted since'}`
}

main().catch((error: unknown) => {
  console.error(error instanceof StartupError ? error.message : error)
  process.exitCode = 1
})
