import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { loadEnvironmentFile, readConfig, type Config } from './core/config.ts'
import { openDatabase, type Database } from './core/database/database.ts'
import { StartupError } from './core/startup-error.ts'
import {
  accountsBeyondScope,
  type BeyondScope,
} from './services/maple/access/account/beyond-scope.ts'
import type { MapleTables } from './services/maple/base/tables.ts'

const help = `Accounts of Maple that reach further than who made them.

  npm run accounts -- beyond-scope   accounts that somebody limited to one service provider made or
                                     widened beyond it, from the audit trail; changes nothing

Delete what nobody should have, or give it its service provider, on the People page. With the
embedded database, which belongs to one process, stop the server first.`

async function main(): Promise<void> {
  const [name = 'help', ...surplus] = process.argv.slice(2)
  if (['help', '--help', '-h'].includes(name)) return console.log(help)
  if (name !== 'beyond-scope' || surplus.length > 0)
    throw new StartupError(
      `"${process.argv.slice(2).join(' ')}" is no command for accounts.\n\n${help}`,
    )
  loadEnvironmentFile(process.cwd())
  const database = await open(readConfig(process.env))
  try {
    const found = await accountsBeyondScope(database.db.withTables<MapleTables>())
    for (const each of found) console.log(sentenceOf(each))
    console.log(
      found.length === 0
        ? 'No account reaches further than who made it.'
        : `${found.length} ${found.length === 1 ? 'change' : 'changes'} made accounts reach further than who made them.`,
    )
  } finally {
    await database.close()
  }
}

async function open({ databaseUrl: url, dataFolder: folder }: Config): Promise<Database> {
  if (url !== undefined) return openDatabase({ url, folder })
  // Opening would make one.
  const isThere = await stat(join(folder, 'database')).catch(() => undefined)
  if (isThere) return openDatabase({ folder })
  throw new StartupError(
    `There is no database in ${folder}: set GROVE_DATA or DATABASE_URL to the server’s value.`,
  )
}

function sentenceOf(found: BeyondScope): string {
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
