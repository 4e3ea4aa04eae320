import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import type { DatabaseLog } from '../database/pools.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { noteBackup, sinceLastBackup } from './backup-log.ts'
import { keepBackup, unfinished } from './make-backup.ts'
import { writeBackup } from './write-backup.ts'

export interface BackupPlan {
  /** The folder with the backups. */
  folder: string
  everyMs: number
  /** The number of backups to keep, newest first. */
  keep: number
}

interface Source {
  database: Database
  objects: ObjectStore
  config: Pick<Config, 'dataFolder' | 'secret'>
}

const lookMs = 60_000
/** The pause after a failure, which may have taken long. */
const againMs = 600_000
/** An arbitrary unique lock id. */
const lockKey = 7_146_225
/** File names that sort by time. */
const nameOf = (time: Date) => `grove-${time.toISOString().replaceAll(/[:.]/g, '-')}.backup`
const ours = /^grove-[\dTZ-]+\.backup(\.part)?$/

/** Makes a backup whenever the last one is old enough; of several processes, only one makes it. */
export function scheduleBackups(source: Source, plan: BackupPlan, log: DatabaseLog) {
  const ending = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let looking = look()

  async function look(): Promise<void> {
    let pauseMs = lookMs
    try {
      await makeIfDue(source, plan, ending.signal)
    } catch (error) {
      if (ending.signal.aborted) return
      pauseMs = againMs
      log.warn({ err: error }, 'a backup could not be made')
    }
    timer = setTimeout(() => {
      looking = look()
    }, pauseMs).unref()
  }

  return {
    /** A backup in progress is aborted. */
    async close() {
      ending.abort()
      await looking
      clearTimeout(timer)
    },
  }
}

/** Returns the file; undefined if none is due or another process makes it. */
export async function makeIfDue(
  source: Source,
  plan: BackupPlan,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { database } = source
  const isDue = async () => {
    const last = await sinceLastBackup(database.db)
    return last === undefined || 1000 * last >= plan.everyMs
  }
  if (!(await isDue())) return undefined
  // The embedded database has only one process and one connection.
  if (database.engine === 'pglite') return make(source, plan, signal)
  return database.direct((db) =>
    db.connection().execute(async (connection) => {
      const { rows } = await sql<{ isOurs: boolean }>`
        select pg_try_advisory_lock(${lockKey}) as "isOurs"`.execute(connection)
      if (!rows[0]?.isOurs) return undefined
      try {
        return (await isDue()) ? await make(source, plan, signal) : undefined
      } finally {
        await sql`select pg_advisory_unlock(${lockKey})`.execute(connection)
      }
    }),
  )
}

async function make(
  source: Source,
  { folder, keep }: BackupPlan,
  signal?: AbortSignal,
): Promise<string> {
  const { database, objects, config } = source
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const filesOf = async (end: string) =>
    (await readdir(folder)).filter((name) => ours.test(name) && name.endsWith(end)).toSorted()
  // Left by a process that was killed.
  for (const name of await filesOf(unfinished)) await rm(join(folder, name))
  const file = join(folder, nameOf(new Date()))
  const content = writeBackup({ db: database.db, objects, config })
  await keepBackup({ file, content, secret: config.secret, ...(signal && { signal }) })
  await noteBackup(database.db)
  for (const name of (await filesOf('.backup')).slice(0, -keep)) await rm(join(folder, name))
  return file
}
