import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { StartupError } from '../startup-error.ts'

/** Forward-only numbered SQL files of one service, such as `0001_products.sql`. */
export interface MigrationSource {
  service: string
  folder: URL
}

/** Tables of core, in the schema `platform`. */
export const platformMigrations: MigrationSource = {
  service: 'platform',
  folder: new URL('../migrations/', import.meta.url),
}

export interface Migration {
  service: string
  name: string
  text: string
  sha256: string
  /**
   * A process that does not know the migration with this number of its service can no longer work
   * with the database. Null: processes that do not know this file work as before.
   */
  needs: number | null
  /** Only creates or drops indexes concurrently, which PostgreSQL refuses in a transaction. */
  isConcurrent: boolean
}

export const nameOf = ({ service, name }: Pick<Migration, 'service' | 'name'>): string =>
  `${service}/${name}`

/** The number at the beginning of a file's name. */
export const numberOf = (name: string): number => Number.parseInt(name, 10)

export async function readMigrations({ service, folder }: MigrationSource): Promise<Migration[]> {
  const base = folder.href.endsWith('/') ? folder : new URL(`${folder.href}/`)
  const names = (await readdir(base)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name, index) => {
      const number = String(index + 1).padStart(4, '0')
      if (!new RegExp(`^${number}_[a-z0-9_]+\\.sql$`).test(name)) {
        throw new StartupError(
          `Migration ${service}/${name} is out of order: the file in this place must be named ${number}_what_it_does.sql.`,
        )
      }
      const text = await readSql(new URL(name, base), service)
      const sha256 = createHash('sha256').update(text).digest('hex')
      return { service, name, text, sha256, ...readMarks(text, `${service}/${name}`) }
    }),
  )
}

/**
 * A line `-- contract since 0068: the reason` marks a migration that removes something that an older
 * release uses; `-- outside of a transaction` marks one with concurrent indexes (decision 59).
 * @throws StartupError for an invalid mark.
 */
function readMarks(text: string, name: string): Pick<Migration, 'needs' | 'isConcurrent'> {
  const mark = /^-- contract\b.*$/m.exec(text)?.[0]
  const since = mark && /^-- contract since (\d{4}): \S/.exec(mark)?.[1]
  const needs = since === undefined ? null : Number(since)
  const own = numberOf(name.slice(name.indexOf('/') + 1))
  if (mark !== undefined && (needs === null || needs < 1 || needs > own))
    throw new StartupError(
      `Migration ${name} has the line "${mark}"; write it as "-- contract since NNNN: the reason", with the number of the migration that a process must know, at most its own.`,
    )
  return { needs, isConcurrent: /^-- outside of a transaction$/m.test(text) }
}

/**
 * The text of a file with each line `-- include FILE` replaced by that file, whose `{schema}` is the
 * service's: the tables of every service are written once. The whole text is hashed, so an included
 * file must never be edited either.
 */
async function readSql(file: URL, schema: string): Promise<string> {
  // A checkout with Windows line endings is the same migration.
  const text = (await readFile(file, 'utf8')).replaceAll('\r\n', '\n')
  const [first = '', ...rest] = text.split(/^-- include (\S+)\n/m)
  const parts = [first]
  // The rest alternates between an included file's name and the text after it.
  for (const [index, part] of rest.entries())
    parts.push(index % 2 === 0 ? await readSql(new URL(part, file), schema) : part)
  return parts.join('').replaceAll('{schema}', schema)
}
