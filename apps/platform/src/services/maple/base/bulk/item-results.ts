import { sql } from 'kysely'
import type { MapleDb } from '../tables.ts'

export interface ItemResult {
  id: string
  result: 'changed' | 'unchanged' | 'refused'
  reason: string | null
}

const tables = {
  account: { bulk: 'account_bulk', item: 'account_bulk_item', id: 'account_id', type: 'uuid' },
  device: { bulk: 'device_bulk', item: 'device_bulk_item', id: 'device_id', type: 'text' },
} as const

/** Writes the results of a batch of a change of many, and adds them to its sums. */
export async function writeResults(
  tx: MapleDb,
  of: keyof typeof tables,
  bulkId: string,
  results: readonly ItemResult[],
): Promise<void> {
  const { bulk, item, id, type } = tables[of]
  const count = (result: ItemResult['result']) =>
    results.filter((each) => each.result === result).length
  await sql`
    update ${sql.id('maple', item)} as item set result = given.result, reason = given.reason
    from unnest(
      ${results.map((each) => each.id)}::${sql.raw(type)}[],
      ${results.map((each) => each.result)}::text[], ${results.map((each) => each.reason)}::text[]
    ) as given (id, result, reason)
    where item.bulk_id = ${bulkId} and ${sql.id('item', id)} = given.id
  `.execute(tx)
  await sql`
    update ${sql.id('maple', bulk)} set changed = changed + ${count('changed')},
      unchanged = unchanged + ${count('unchanged')}, refused = refused + ${count('refused')}
    where id = ${bulkId}
  `.execute(tx)
}
