import { sql } from 'kysely'
import { sealOldCards } from '../software-card/seal-cards.ts'
import type { MapleDb } from '../tables.ts'
import type { KeyBinding, KeyContext, MasterBinding } from './key-provider.ts'

type Table =
  | 'key_set'
  | 'master_key'
  | 'software_card'
  | 'software_card_snapshot'
  | 'handler_secret'

interface Row extends KeyBinding {
  vaultKey: number
  wrappedKey: Buffer
  body: Buffer
}

/** What names a row, and what its keys are bound to besides. */
const columns = {
  key_set: { id: 'id', binding: sql`, algorithm, chip_id as "chipId", version, protocol` },
  master_key: { id: 'id', binding: sql`, algorithm` },
  software_card: { id: 'key_id', binding: sql`` },
  software_card_snapshot: { id: 'key_id', binding: sql`` },
  handler_secret: { id: 'id', binding: sql`` },
} as const

/**
 * Seals the data keys again that another vault key than the newest sealed, and the keys of software
 * cards that are not sealed yet. Each row is one statement, which changes nothing where somebody was
 * faster: it can be stopped and repeated at any moment, beside any number of servers. Answers how
 * many it sealed.
 */
export async function rewrapKeys({ db, keys: { vault } }: Pick<KeyContext, 'db' | 'keys'>) {
  const [newest = 1] = await vault.versions()
  const sets = await rewrapTable(db, 'key_set', newest, (row) =>
    vault.rewrap({ vaultKey: row.vaultKey, wrappedKey: row.wrappedKey, body: row.body }, row),
  )
  const masters = await rewrapTable(db, 'master_key', newest, (row: MasterBinding & Row) =>
    vault.rewrapMaster({ vaultKey: row.vaultKey, wrappedKey: row.wrappedKey, body: row.body }, row),
  )
  let cards = 0
  for (const table of ['software_card', 'software_card_snapshot'] as const)
    cards +=
      (await sealOldCards(db, vault, table)) +
      (await rewrapTable(db, table, newest, (row) =>
        vault.rewrapCard(
          { vaultKey: row.vaultKey, wrappedKey: row.wrappedKey, body: row.body },
          row.id,
        ),
      ))
  const secrets = await rewrapTable(db, 'handler_secret', newest, (row) =>
    vault.rewrapText(
      { vaultKey: row.vaultKey, wrappedKey: row.wrappedKey, body: row.body },
      row.id,
    ),
  )
  return sets + masters + cards + secrets
}

async function rewrapTable(
  db: MapleDb,
  table: Table,
  newest: number,
  rewrap: (row: Row) => Promise<{ vaultKey: number; wrappedKey: Buffer } | undefined>,
): Promise<number> {
  const { binding, ...names } = columns[table]
  const id = sql.ref(names.id)
  for (let count = 0; ;) {
    const { rows } = await sql<Row>`
      select ${id} as id ${binding}, vault_key as "vaultKey", wrapped_key as "wrappedKey",
        ${sql.ref(table === 'handler_secret' ? 'sealed_text' : 'sealed_keys')} as body
      from ${sql.table(`maple.${table}`)} where vault_key <> ${newest} order by vault_key, ${id} limit 100
    `.execute(db)
    if (rows.length === 0) return count
    for (const row of rows) {
      const next = await rewrap(row)
      if (!next) continue
      await sql`
        update ${sql.table(`maple.${table}`)}
        set vault_key = ${next.vaultKey}, wrapped_key = ${next.wrappedKey}
        where ${id} = ${row.id} and vault_key = ${row.vaultKey}
      `.execute(db)
      count++
    }
  }
}

/** How many rows each vault key seals. */
export async function sealedBy(db: MapleDb): Promise<Map<number, number>> {
  const { rows } = await sql<{ version: number; count: number }>`
    select vault_key as version, count(*)::int as count from (
      select vault_key from maple.key_set where vault_key is not null
      union all select vault_key from maple.master_key
      union all select vault_key from maple.software_card where vault_key is not null
      union all select vault_key from maple.software_card_snapshot where vault_key is not null
      union all select vault_key from maple.handler_secret
    ) as sealed group by vault_key order by vault_key
  `.execute(db)
  return new Map(rows.map(({ version, count }) => [version, count]))
}

/** Key sets that no vault key seals. */
export async function countInHsm(db: MapleDb): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from maple.key_set where hsm_label is not null
  `.execute(db)
  return rows[0]?.count ?? 0
}
