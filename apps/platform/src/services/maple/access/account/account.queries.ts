import { sql, type RawBuilder } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { MapleAccount } from '@grove/contract/maple/access/account'
import type { QueryOf } from '@grove/contract/call'
import {
  accountSearchLimit,
  accountSorting,
  expiringDays,
  type AccountValidity,
} from '@grove/contract/maple/access/account.rules'
import { maxCounted, type SortOf } from '@grove/contract/page.rules'
import { defineList, inOrder, upTo, type ListPage } from '../../../../core/database/define-list.ts'
import { defineRecords } from '../../../../core/records/define-records.ts'
import { uuidBeginsWith } from '../../../../core/records/uuid-prefix.ts'
import { inScope, type Scope } from '../../../../core/scope.ts'
import { tallyOf } from '../../base/tally.queries.ts'
import type { MapleDb } from '../../base/tables.ts'

export type AccountQuery = QueryOf<Calls['GET /api/maple/account']>

/** Stored for an account that does not expire. */
const never = '9999-12-31T23:59:59.000000Z'

/** One account, and its changes. */
export const accounts = defineRecords<MapleAccount, AccountQuery>({
  table: 'maple.account',
  columns: {
    id: 'uuid',
    roles: 'text[]',
    expiresAt: { type: 'timestamptz', none: never },
    serviceId: 'text',
  },
  sorting: accountSorting,
})

const sorts = {
  createdAt: ['created_at', 'timestamp'],
  expiresAt: ['expires_at', 'timestamp'],
  id: ['id', 'uuid'],
} as const
type AccountSort = SortOf<typeof accountSorting>

/** `maple.account_role` has the same columns for the accounts of one role. */
const accountList = defineList({
  name: 'maple.account',
  sorts,
  sorting: accountSorting,
  tiebreak: ['id', 'uuid'],
  filters: {
    q: searched,
    ids: (ids) => sql`id = any(${ids.split(',')}::uuid[])`,
    role: (role) => sql`role = ${role}`,
    serviceId: (id) => sql`service_id = ${id}`,
    validity: (validity) => conditionOf[validity],
  },
  keys: (account: MapleAccount, sort) => [account[sort] ?? never, account.id],
  rows: async (
    db: MapleDb,
    { query, sort, direction, filter, where, orderBy, limit }: ListPage<AccountQuery, AccountSort>,
    scope: Scope,
  ) => {
    const table = sql.table(query.role === undefined ? 'maple.account' : 'maple.account_role')
    const column = sql.ref(sorts[sort][0])
    const first = (condition: RawBuilder<unknown>, most: number) => sql`
      select id, ${column} as key from ${table}
      where ${inScope(scope, 'service_id')} and ${condition} order by ${orderBy()} limit ${sql.lit(most)}`
    const { rows } = await sql<MapleAccount>`
      with page as (${first(where(), limit)})
      select account.id, account.roles, account.service_id as "serviceId",
        nullif(account.expires_at, ${sql.lit(never)}::timestamptz) as "expiresAt",
        account.revision, account.created_at as "createdAt", account.updated_at as "updatedAt"
      from page join maple.account as account on account.id = page.id
      order by ${inOrder([sql.ref('page.key'), sql.ref('page.id')], direction)}
    `.execute(db)
    if (!query.count) return { rows }
    const { q, ids, role, serviceId, validity } = query
    const isAll = [q, ids, role, serviceId, validity].every((each) => !each)
    if (isAll) {
      const value = await tallyOf(db, 'account', sql`key = 'all'`, scope)
      return { rows, more: { count: { value, isCapped: false } } }
    }
    const counted = await sql<{ count: number }>`
      select count(*) from (${first(filter, maxCounted + 1)}) as counted`.execute(db)
    return { rows, more: { count: upTo(maxCounted, counted.rows[0]?.count ?? 0) } }
  },
})

/** One page of the accounts of a scope; null is everyone's. @throws BadCursorError */
export const readAccounts = (db: MapleDb, query: AccountQuery, scope: Scope) =>
  accountList.read(db, query, scope)

/** Locks the accounts of a scope for the transaction, against an administrator's changes. */
export async function lockChangesIn(tx: MapleDb, scope: Scope): Promise<void> {
  if ('serviceId' in scope)
    await sql`
      select from maple.service where id = ${scope.serviceId} for no key update`.execute(tx)
  else await sql`select pg_advisory_xact_lock(5180047)`.execute(tx)
}

const soon = sql.lit(`${expiringDays} days`)
const conditionOf: Record<AccountValidity, RawBuilder<unknown>> = {
  active: sql`expires_at > now()`,
  expiring: sql`expires_at > now() and expires_at <= now() + ${soon}::interval`,
  expired: sql`expires_at <= now()`,
}

/** To the planner an array is small, so it looks these ids up instead of scanning the list. */
function searched(text: string) {
  const condition = uuidBeginsWith('id', text)
  return (
    condition &&
    sql`id = any(array(
      select id from maple.account where ${condition}
      order by id limit ${sql.lit(accountSearchLimit)}
    ))`
  )
}

/** The role names in use, each found by one index lookup. */
export async function rolesInUse(db: MapleDb): Promise<string[]> {
  const { rows } = await sql<{ role: string }>`
    with recursive name as (
      (select role from maple.account_role order by role limit 1)
      union all
      select (
        select role from maple.account_role where role > name.role order by role limit 1
      ) from name where name.role is not null
    )
    select role from name where role is not null limit 1000
  `.execute(db)
  return rows.map(({ role }) => role)
}
