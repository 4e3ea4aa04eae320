import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Db } from '../database/database.ts'

export interface DumpedTable {
  /** `schema.table`. */
  name: string
  file: string
}

const rowsAtOnce = 500

/**
 * Writes every table of the services to a file, one JSON row per line, all from one snapshot. A table
 * comes after those that it references, and partitions are in the file of their table. Unlogged
 * tables hold counters that a crash loses too.
 */
export function dumpTables(db: Db, folder: string): Promise<DumpedTable[]> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const dumped: DumpedTable[] = []
      for (const { schema, table } of await readTables(tx)) {
        const name = `${schema}.${table}`
        const file = join(folder, name)
        const stream = createWriteStream(file, { mode: 0o600 })
        const rows = sql.raw(`select to_json(t)::text as row from ${name} as t`)
        await sql`declare backup_rows no scroll cursor for ${rows}`.execute(tx)
        for (;;) {
          const batch = await sql<{
            row: string
          }>`fetch ${sql.lit(rowsAtOnce)} from backup_rows`.execute(tx)
          if (batch.rows.length === 0) break
          const isFree = stream.write(batch.rows.map(({ row }) => `${row}\n`).join(''))
          if (!isFree) await once(stream, 'drain')
        }
        await sql`close backup_rows`.execute(tx)
        stream.end()
        await once(stream, 'finish')
        dumped.push({ name, file })
      }
      return dumped
    })
}

/** The tables of the services, each after those that it references. */
export async function readTables(db: Db): Promise<{ schema: string; table: string }[]> {
  const { rows } = await sql<{ schema: string; table: string; needs: string[] }>`
    select n.nspname as schema, c.relname as table, coalesce((
      select array_agg(distinct tn.nspname || '.' || tc.relname)
      from pg_constraint k join pg_class tc on tc.oid = k.confrelid
      join pg_namespace tn on tn.oid = tc.relnamespace
      where k.contype = 'f' and k.conrelid = c.oid and k.confrelid <> c.oid), '{}') as needs
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
      and n.nspname in (select service from grove.migration)
    order by 1, 2`.execute(db)
  const ordered: { schema: string; table: string }[] = []
  const done = new Set<string>()
  let left = rows
  while (left.length > 0) {
    const next = left.filter(({ needs }) => needs.every((name) => done.has(name)))
    // Tables that reference each other in a cycle cannot be ordered.
    if (next.length === 0) throw new Error('Tables refer to each other in a circle.')
    for (const { schema, table } of next) {
      ordered.push({ schema, table })
      done.add(`${schema}.${table}`)
    }
    left = left.filter((row) => !next.includes(row))
  }
  return ordered
}
