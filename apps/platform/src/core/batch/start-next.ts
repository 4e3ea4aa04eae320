import { sql, type QueryExecutorProvider, type RawBuilder } from 'kysely'

/** A table of targets that run one by one; it has `state` and `started_at`. */
export interface TargetTable {
  table: `${string}.${string}`
  /** The column with the id of the batch. */
  of: string
  /** The column that identifies a target within its batch. */
  key: string
  /** The column that orders the starts; by default the key. */
  order?: string
}

/**
 * Starts the next target of a batch. It is selected first: a join may rerun a subquery for each row,
 * and get another one each time. `returning` selects from `target`.
 */
export async function startNext<Row>(
  db: QueryExecutorProvider,
  { table, of, key, order = key }: TargetTable,
  batch: string,
  returning: RawBuilder<unknown>,
): Promise<Row | undefined> {
  const { rows } = await sql<Row>`
    with next as materialized (
      select ${sql.ref(key)} from ${sql.table(table)}
      where ${sql.ref(of)} = ${batch} and state = 'waiting'
      order by ${sql.ref(order)} limit 1 for update skip locked
    )
    update ${sql.table(table)} as target set state = 'running', started_at = now() from next
    where ${sql.ref(`target.${of}`)} = ${batch} and ${sql.ref(`target.${key}`)} = ${sql.ref(`next.${key}`)}
    returning ${returning}`.execute(db)
  return rows[0]
}
