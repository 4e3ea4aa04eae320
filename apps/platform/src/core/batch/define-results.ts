import { sql, type QueryExecutorProvider } from 'kysely'
import { ProblemError } from '../http/problem.ts'

export interface ItemResult {
  id: string
  result: 'changed' | 'unchanged' | 'refused'
  reason: string | null
}

interface Definition {
  /** The table of batches, with the sums `changed`, `unchanged` and `refused`. */
  batch: `${string}.${string}`
  /** The table of items; `result` and `reason` are null until an item is processed. */
  table: `${string}.${string}`
  /** The column with the id of the batch. */
  of: string
  /** The column that identifies an item within its batch; also the order of processing. */
  key: string
  type: 'text' | 'uuid'
}

const rowsAtOnce = 5_000

/**
 * The items of batches that process many in one transaction, with the result of each.
 *
 *     const treeResults = defineResults({
 *       batch: 'orchard.pruning',
 *       table: 'orchard.pruning_item',
 *       of: 'pruning_id',
 *       key: 'tree_id',
 *       type: 'uuid',
 *     })
 */
export function defineResults({ batch, type, ...definition }: Definition) {
  const table = sql.table(definition.table)
  const of = sql.ref(definition.of)
  const key = sql.ref(definition.key)

  return {
    /** The ids of the next unprocessed items. */
    left: (batchId: string, limit: number) => sql<{ id: string }>`
      select ${key} as id from ${table}
      where ${of} = ${batchId} and result is null order by ${key} limit ${sql.lit(limit)}`,

    /** Stores results, and adds them to the sums of the batch. */
    async write(tx: QueryExecutorProvider, batchId: string, results: readonly ItemResult[]) {
      const count = (result: ItemResult['result']) =>
        results.filter((each) => each.result === result).length
      await sql`
        update ${table} as item set result = given.result, reason = given.reason
        from unnest(
          ${results.map((each) => each.id)}::${sql.raw(type)}[],
          ${results.map((each) => each.result)}::text[],
          ${results.map((each) => each.reason)}::text[]
        ) as given (id, result, reason)
        where item.${of} = ${batchId} and item.${key} = given.id`.execute(tx)
      await sql`
        update ${sql.table(batch)} set changed = changed + ${count('changed')},
          unchanged = unchanged + ${count('unchanged')}, refused = refused + ${count('refused')}
        where id = ${batchId}`.execute(tx)
    },

    /** The result of each item, ordered by id. Neither ids nor codes need escaping in CSV. */
    async *csv(db: QueryExecutorProvider, batchId: string): AsyncGenerator<string, void> {
      yield 'id,result,reason\r\n'
      for (let after: string | undefined; ;) {
        const { rows } = await sql<Omit<ItemResult, 'result'> & { result: string | null }>`
          select ${key} as id, result, reason from ${table}
          where ${of} = ${batchId} and ${after === undefined ? sql`true` : sql`${key} > ${after}`}
          order by ${key} limit ${sql.lit(rowsAtOnce)}`.execute(db)
        after = rows.at(-1)?.id
        if (after === undefined) return
        yield rows
          .map(({ id, result, reason }) => `${id},${result ?? 'pending'},${reason ?? ''}\r\n`)
          .join('')
      }
    },
  }
}

/** The result of an item. `change` returns whether it changed anything; a refusal is a result. */
export async function resultOf(
  id: string,
  change: () => Promise<boolean> | boolean,
): Promise<ItemResult> {
  try {
    return { id, result: (await change()) ? 'changed' : 'unchanged', reason: null }
  } catch (error) {
    if (error instanceof ProblemError) return { id, result: 'refused', reason: error.code }
    throw error
  }
}
