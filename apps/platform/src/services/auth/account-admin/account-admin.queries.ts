import { sql } from 'kysely'
import type { Account } from '@grove/contract/auth/account-admin'
import type { AccountState } from '@grove/contract/auth/account.rules'
import type { Order } from '@grove/contract/page.rules'
import { defineList, type ListPage } from '../../../core/database/define-list.ts'
import type { AuthDb } from '../tables.ts'

/** An account as stored; what may be done to it depends on the reader. */
export type AccountFacts = Omit<Account, 'rights'>

type AccountSort = 'createdAt' | 'email'

interface AccountQuery {
  state?: AccountState | undefined
  /** Prefix of an email, in lower case. */
  prefix?: string | undefined
  sort: AccountSort
  order: Order
  cursor?: string | undefined
  limit?: number | undefined
}

const columns = sql`
  account.id, account.email, account.email_verified_at as "emailVerifiedAt", account.name,
  account.roles, account.disabled_at as "disabledAt", account.created_at as "createdAt",
  (select last_used_at from auth.session where account_id = account.id
    order by last_used_at desc limit 1) as "lastUsedAt"
`

/**
 * Newest first, or by email if a prefix is given. Each order has its own index, so a page costs its
 * rows and not the table's.
 */
export const accountList = defineList({
  name: 'account',
  sorts: { createdAt: ['created_at', 'timestamp'], email: ['email', 'text'] },
  sorting: { default: 'createdAt', order: 'desc' },
  tiebreak: ['id', 'uuid'],
  filters: {
    state: (state) => sql`disabled_at is ${state === 'enabled' ? sql`` : sql`not`} null`,
    prefix: (prefix) => sql`email like ${`${prefix.replaceAll(/[\\%_]/g, '\\$&')}%`}`,
  },
  keys: ({ email, createdAt, id }, sort) => [sort === 'email' ? (email ?? '') : createdAt, id],
  rows: (db: AuthDb, page: ListPage<AccountQuery, AccountSort>) => {
    const { behind, order } = page.sort === 'email' ? byEmail(page) : byAge(page)
    return sql<AccountFacts>`
      select ${columns} from auth.account as account
      where ${page.filter} ${behind ? sql`and ${behind}` : sql``}
      order by ${order} limit ${page.limit}
    `.execute(db)
  },
})

type Place = Pick<ListPage<AccountQuery>, 'direction' | 'after'>

/** Accounts with the same timestamp are ordered by id, in either direction. */
function byAge({ direction, after }: Place) {
  const isNewestFirst = direction === 'desc'
  const order = isNewestFirst ? sql`created_at desc, id` : sql`created_at, id desc`
  if (!after) return { order }
  const { value, tiebreak } = after
  const behind = isNewestFirst
    ? sql`created_at <= ${value} and (created_at < ${value} or id > ${tiebreak})`
    : sql`created_at >= ${value} and (created_at > ${value} or id < ${tiebreak})`
  return { order, behind }
}

/** `~<~` compares bytes, as the index for prefixes does. */
function byEmail({ direction, after }: Place) {
  const than = direction === 'asc' ? sql`~>~` : sql`~<~`
  const order = sql`email using ${direction === 'asc' ? sql`~<~` : sql`~>~`}`
  return after ? { order, behind: sql`email ${than} ${after.value}` } : { order }
}

export async function findAccount(db: AuthDb, id: string): Promise<AccountFacts | undefined> {
  return (await findAccounts(db, [id]))[0]
}

export async function findAccounts(db: AuthDb, ids: readonly string[]): Promise<AccountFacts[]> {
  const { rows } = await sql<AccountFacts>`
    select ${columns} from auth.account as account where id = any(${ids}::uuid[])
  `.execute(db)
  return rows
}
