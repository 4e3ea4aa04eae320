import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartupError } from '../startup-error.ts'
import { isDiskFull } from './unavailable.ts'

/**
 * Checks whether the data folder is safe to start on: PGlite creates a new database if it finds no
 * `PG_VERSION`, over whatever else is there. Returns a function to call once the database runs.
 * @throws StartupError if a database has lost parts.
 */
export async function beginDataFolder(folder: string): Promise<() => Promise<void>> {
  const database = join(folder, 'database')
  const making = join(folder, 'database.making')
  // An interrupted first start: nothing can have been stored in it.
  if (await exists(making)) await rm(database, { recursive: true, force: true })
  await mkdir(database, { recursive: true, mode: 0o700 })
  if (await exists(join(database, 'PG_VERSION'))) {
    await closeToOthers(database)
    return async () => {}
  }
  if ((await readdir(database)).length > 0)
    throw new StartupError(
      `The database in ${database} has lost its file PG_VERSION, so it cannot be opened, and Grove does not make a new one over it. ${repair(folder)}`,
    )
  for (const left of ['secret', 'objects'])
    if (await hasContent(join(folder, left)))
      throw new StartupError(
        `The data folder ${folder} has "${left}" and no database: it belongs to a database that is gone. ${repair(folder)}`,
      )
  await writeFile(making, '', { mode: 0o600, flush: true })
  return () => rm(making, { force: true })
}

export function damagedDatabase(database: string, cause: unknown): unknown {
  if (cause instanceof StartupError) return cause
  const reason = (cause instanceof Error ? cause.message : String(cause)).split('\n')[0]
  if (isDiskFull(cause))
    return new StartupError(
      `The disk of ${database} is full, so the database cannot be opened. Make room, then start again.`,
      { cause },
    )
  return new StartupError(
    `The database in ${database} cannot be opened; it may be damaged (${reason}). ${repair(join(database, '..'))}`,
    { cause },
  )
}

/** Older versions created world-readable files. */
async function closeToOthers(database: string): Promise<void> {
  if (((await stat(join(database, 'PG_VERSION'))).mode & 0o077) === 0) return
  const entries = await readdir(database, { recursive: true, withFileTypes: true })
  await chmod(database, 0o700)
  for (const entry of entries)
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600)
}

const repair = (folder: string) =>
  `Move ${folder} aside and put a backup in its place with: npm run restore -- FILE`

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

/** A non-empty file, or a folder that contains one. */
async function hasContent(path: string): Promise<boolean> {
  const info = await stat(path).catch(() => undefined)
  if (!info?.isDirectory()) return (info?.size ?? 0) > 0
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries.some((entry) => entry.isFile())
}
