import { sql, type RawBuilder } from 'kysely'
import type { MapleAccount } from '@grove/contract'
import type { AccountSort, AccountValidity } from '@grove/contract/maple/account.rules'
import type { KeysetRange } from '../../../core/database/keyset-page.ts'
import type { MapleDb } from '../tables.ts'

const never = sql`'9999-12-31 23:59:59+00'::timestamptz`
const columns = sql`
  id, roles, nullif(expires_at, ${never}) as "expiresAt", revision,
  created_at as "createdAt", updated_at as "updatedAt"
`

/** `key` is what the row is sorted by, in the database's own text. */
export type AccountRow = MapleAccount & { key: string }

export interface AccountRequest {
  /** The smallest and the greatest id of a search. */
  ids: readonly [first: string, last: string] | undefined
  validity: AccountValidity | undefined
  sort: AccountSort
  direction: 'asc' | 'desc'
  range: KeysetRange
}

const sortColumns: Record<AccountSort, RawBuilder<unknown>> = {
  id: sql.ref('id'),
  createdAt: sql.ref('created_at'),
  expiresAt: sql.ref('expires_at'),
}

export async function pageOfAccounts(
  db: MapleDb,
  { ids, validity, sort, direction, range: { after, limit } }: AccountRequest,
): Promise<AccountRow[]> {
  const column = sortColumns[sort]
  const order = sql.raw(direction)
  const conditions = [sql`true`]
  if (ids) conditions.push(sql`id between ${ids[0]} and ${ids[1]}`)
  if (validity)
    conditions.push(sql`expires_at ${sql.raw(validity === 'active' ? '>' : '<=')} now()`)
  if (after) {
    const than = sql.raw(direction === 'asc' ? '>' : '<')
    conditions.push(sql`(${column}, id) ${than} (${after.value}, ${after.tiebreak})`)
  }
  const { rows } = await sql<AccountRow>`
    select ${columns}, ${column} as key from maple.account
    where ${sql.join(conditions, sql` and `)}
    order by ${column} ${order}, id ${order} limit ${limit}
  `.execute(db)
  return rows
}

/** Holds the account for the transaction. */
export async function lockAccount(db: MapleDb, id: string): Promise<MapleAccount | undefined> {
  const { rows } = await sql<MapleAccount>`
    select ${columns} from maple.account where id = ${id} for update
  `.execute(db)
  return rows[0]
}

type AccountValues = Pick<MapleAccount, 'id' | 'roles' | 'expiresAt'>

/** Undefined when the id is taken. */
export async function insertAccount(db: MapleDb, { id, roles, expiresAt }: AccountValues) {
  const { rows } = await sql<MapleAccount>`
    insert into maple.account (id, roles, expires_at)
    values (${id}, ${roles}::text[], coalesce(${expiresAt}::timestamptz, ${never}))
    on conflict (id) do nothing returning ${columns}
  `.execute(db)
  return rows[0]
}

/** Undefined when the account has these values already. */
export async function changeAccount(db: MapleDb, { id, roles, expiresAt }: AccountValues) {
  const expiry = sql`coalesce(${expiresAt}::timestamptz, ${never})`
  const { rows } = await sql<MapleAccount>`
    update maple.account
    set roles = ${roles}::text[], expires_at = ${expiry},
      revision = revision + 1, updated_at = now()
    where id = ${id} and (roles, expires_at) is distinct from (${roles}::text[], ${expiry})
    returning ${columns}
  `.execute(db)
  return rows[0]
}

export async function deleteAccount(db: MapleDb, id: string): Promise<void> {
  await sql`delete from maple.account where id = ${id}`.execute(db)
}
