import { sql } from 'kysely'
import type { CardState } from '@grove/secure-element/card/card-state'
import type { VaultProvider } from '../key/key-provider.ts'
import type { MapleDb } from '../../base/tables.ts'
import { sealCard, sealedColumns, sealedValues } from './card-keys.ts'

type Table = 'software_card' | 'software_card_snapshot'

const names = { software_card: 'cplc', software_card_snapshot: 'id' } as const
const atOnce = 20

/**
 * Encrypts the keys of cards from before keys were encrypted. A card that a session changes meanwhile
 * is left to that session, or to the next run. Returns the number of cards.
 */
export async function sealOldCards(
  db: MapleDb,
  vault: VaultProvider,
  table: Table,
): Promise<number> {
  const [rowsOf, name] = [sql.table(`maple.${table}`), sql.ref(names[table])]
  let count = 0
  for (let after = ''; ;) {
    const { rows } = await sql<{ name: string; state: CardState }>`
      select ${name}::text as name, state from ${rowsOf}
      where vault_key is null and ${name}::text > ${after} order by ${name}::text limit ${sql.lit(atOnce)}
    `.execute(db)
    for (const row of rows) {
      const { state, sealed } = await sealCard(vault, row.state)
      const { numAffectedRows = 0n } = await sql`
        update ${rowsOf} set state = ${JSON.stringify(state)}::jsonb,
          (${sealedColumns}) = row(${sealedValues(sealed)})
        where ${name}::text = ${row.name} and vault_key is null
          and state = ${JSON.stringify(row.state)}::jsonb
      `.execute(db)
      count += Number(numAffectedRows)
    }
    const last = rows.at(-1)
    if (!last) return count
    after = last.name
  }
}
