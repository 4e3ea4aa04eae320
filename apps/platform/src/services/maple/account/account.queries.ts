import { sql } from 'kysely'
import type { Calls, MapleAccount, QueryOf } from '@grove/contract'
import {
  defaultAccountOrder,
  defaultAccountSort,
  type AccountSort,
} from '@grove/contract/maple/account.rules'
import { defineList, type ListPage } from '../../../core/database/define-list.ts'
import type { MapleDb } from '../tables.ts'

type AccountQuery = QueryOf<Calls['GET /api/maple/account']>

/** The expiry of an account that has none, as the database writes it. */
const endOfTime = '9999-12-31T23:59:59.000000Z'
const never = sql`${sql.lit(endOfTime)}::timestamptz`
const columns = sql`
  id, roles, nullif(expires_at, ${never}) as "expiresAt", revision,
  created_at as "createdAt", updated_at as "updatedAt"
`

export const accountList = defineList({
  name: 'maple account',
  sorts: {
    id: ['id', 'uuid'],
    createdAt: ['created_at', 'timestamp'],
    expiresAt: ['expires_at', 'timestamp'],
  },
  defaults: [defaultAccountSort, defaultAccountOrder],
  tiebreak: ['id', 'uuid'],
  filters: {
    q: idBeginsWith,
    validity: (validity) => sql`expires_at ${sql.raw(validity === 'active' ? '>' : '<=')} now()`,
  },
  keys: (account, sort) => [account[sort] ?? endOfTime, account.id],
  rows: (db: MapleDb, page: ListPage<AccountQuery, AccountSort>) =>
    sql<MapleAccount>`
      select ${columns} from maple.account
      where ${page.where()} order by ${page.orderBy()} limit ${page.limit}
    `.execute(db),
})

/** The ids that begin with a text: a range of the primary key. */
function idBeginsWith(text: string) {
  const digits = text.trim().replaceAll('-', '').toLowerCase()
  if (digits === '') return undefined
  if (!/^[0-9a-f]{1,32}$/.test(digits)) return sql`false`
  return sql`id between ${digits.padEnd(32, '0')} and ${digits.padEnd(32, 'f')}`
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
