import { sql, type RawBuilder } from 'kysely'
import { openVault, type Sealed } from '../../../../core/vault/vault.ts'
import { sealOldCards } from '../software-card/seal-cards.ts'
import type { MapleDb } from '../../base/tables.ts'
import type { KeyBinding, KeyContext, VaultProvider } from './key-provider.ts'
import { vaultProvider } from './vault-provider.ts'

const tables = [
  'key_set',
  'master_key',
  'software_card',
  'software_card_snapshot',
  'handler_secret',
  'key_export',
  'purpose_key',
  'scp11_credential',
] as const
type Table = (typeof tables)[number]

interface Row extends KeyBinding {
  vaultKey: number
  wrappedKey: Buffer
  body: Buffer
}

/** A row's primary key, and the additional binding of its keys. */
const columns = {
  key_set: { id: 'id', binding: sql`, algorithm, chip_id as "chipId", version, protocol` },
  master_key: { id: 'id', binding: sql`, algorithm` },
  software_card: { id: 'key_id', binding: sql`` },
  software_card_snapshot: { id: 'key_id', binding: sql`` },
  handler_secret: { id: 'id', binding: sql`` },
  key_export: { id: 'id', binding: sql`` },
  purpose_key: { id: 'id', binding: sql`` },
  scp11_credential: { id: 'id', binding: sql`` },
} as const

/**
 * Re-encrypts data keys that an older vault key encrypted, and keys of software cards that are not
 * encrypted yet. Each row is one statement, which changes nothing if someone else was faster: it can
 * be stopped and repeated at any time, beside any number of servers. Returns the number of rows.
 */
export async function rewrapKeys({ db, keys: { vault } }: Pick<KeyContext, 'db' | 'keys'>) {
  const [newest = 1] = await vault.versions()
  let count = 0
  for (const table of tables) {
    if (table === 'software_card' || table === 'software_card_snapshot')
      count += await sealOldCards(db, vault, table)
    count += await rewrapTable(db, table, newest, rewrapsIn(table, vault))
  }
  return count
}

/** How the data key of a row is sealed with the newest vault key. */
function rewrapsIn(table: Table, vault: VaultProvider) {
  const sealedOf = ({ vaultKey, wrappedKey, body }: Row) => ({ vaultKey, wrappedKey, body })
  return (row: Row): Promise<Sealed | undefined> => {
    switch (table) {
      case 'key_set':
        return vault.rewrap(sealedOf(row), row)
      case 'master_key':
        return vault.rewrapMaster(sealedOf(row), row)
      case 'handler_secret':
      case 'key_export':
      case 'purpose_key':
      case 'scp11_credential':
        return vault.rewrapText(sealedOf(row), row.id)
      default:
        return vault.rewrapCard(sealedOf(row), row.id)
    }
  }
}

async function rewrapTable(
  db: MapleDb,
  table: Table,
  newest: number,
  rewrap: ReturnType<typeof rewrapsIn>,
): Promise<number> {
  const id = sql.ref(columns[table].id)
  for (let count = 0; ;) {
    const rows = await rowsOf(db, table, sql`vault_key <> ${newest}`)
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

async function rowsOf(db: MapleDb, table: Table, where: RawBuilder<unknown>): Promise<Row[]> {
  const { binding, ...names } = columns[table]
  const id = sql.ref(names.id)
  const { rows } = await sql<Row>`
    select ${id} as id ${binding}, vault_key as "vaultKey", wrapped_key as "wrappedKey",
      ${sql.ref(table === 'handler_secret' ? 'sealed_text' : 'sealed_keys')} as body
    from ${sql.table(`maple.${table}`)} where ${where} order by vault_key, ${id} limit 100
  `.execute(db)
  return rows
}

/**
 * Whether a vault key opens something that its version sealed. One row is enough: others may be sealed
 * by a key that another process had under the same version.
 */
export async function opensSealed(db: MapleDb, version: number, key: Buffer): Promise<boolean> {
  // To seal a row with a key that is newer means to open it.
  const keys = new Map([version, version + 1].map((each) => [each, key]))
  const vault = vaultProvider(openVault({ keys }))
  for (const table of tables)
    for (const row of await rowsOf(db, table, sql`vault_key = ${version}`))
      if (await rewrapsIn(table, vault)(row).catch(() => undefined)) return true
  return false
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
      union all select vault_key from maple.key_export where vault_key is not null
      union all select vault_key from maple.purpose_key where vault_key is not null
      union all select vault_key from maple.scp11_credential where vault_key is not null
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
