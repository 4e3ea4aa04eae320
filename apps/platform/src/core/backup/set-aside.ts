import { sql } from 'kysely'
import type { Db } from '../database/database.ts'

interface Statements {
  drop: string
  create: string
}

/**
 * Drops what is slow to maintain row by row and faster to build at once: keys, and indexes without a
 * constraint. Returns a function that recreates them. Those of a partition are covered by those of
 * its table.
 */
export async function setAside(db: Db, schemas: readonly string[]): Promise<() => Promise<void>> {
  const keys = await sql<Statements>`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname,
        pg_get_constraintdef(oid)) as create
    from pg_constraint
    where contype in ('f', 'p', 'u') and conparentid = 0
      and connamespace::regnamespace::text = any(${schemas})
    -- Foreign keys need the others.
    order by contype <> 'f'`.execute(db)
  const indexes = await sql<Statements>`
    select format('drop index %s', i.indexrelid::regclass) as drop,
      replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') as create
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace::regnamespace::text = any(${schemas}) and not c.relispartition
      and not exists (select from pg_constraint where conindid = i.indexrelid)`.execute(db)
  const aside = [...keys.rows, ...indexes.rows]
  for (const { drop } of aside) await sql.raw(drop).execute(db)
  return async () => {
    // Keys may need the indexes.
    for (const { create } of aside.toReversed()) await sql.raw(create).execute(db)
  }
}
