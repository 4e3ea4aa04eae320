import { sql, type RawBuilder } from 'kysely'
import type { Account } from '@grove/contract/auth/account-admin'
import type { AccountState } from '@grove/contract/auth/account.rules'
import type { Order } from '@grove/contract/page.rules'
import { defineList, type ListPage } from '../../../core/database/define-list.ts'
import { beginsWithWords } from '../../../core/database/words.ts'
import type { AuthDb } from '../tables.ts'

type Sql = RawBuilder<unknown>

/** An account as stored; what may be done to it depends on the reader. */
export type AccountFacts = Omit<Account, 'rights'>

type AccountSort = 'createdAt' | 'email'

interface AccountQuery {
  state?: AccountState | undefined
  /** The search text in lower case: the beginning of an email, or words of a name or an email. */
  text?: string | undefined
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
 * Newest first, or by email if a text is given. Each order has its own index, so the cost of a page
 * depends on its rows, not on the table.
 */
export const accountList = defineList({
  name: 'account',
  sorts: { createdAt: ['created_at', 'timestamp'], email: ['email', 'text'] },
  sorting: { default: 'createdAt', order: 'desc' },
  tiebreak: ['id', 'uuid'],
  filters: {
    state: (state) => sql`disabled_at is ${state === 'enabled' ? sql`` : sql`not`} null`,
  },
  keys: ({ email, createdAt, id }, sort) => [sort === 'email' ? (email ?? '') : createdAt, id],
  rows: (db: AuthDb, page: ListPage<AccountQuery, AccountSort>) => {
    const { where, order } = page.query.text === undefined ? byAge(page) : byText(page)
    return sql<AccountFacts>`
      select ${columns} from auth.account as account
      where ${where} order by ${order} limit ${page.limit}
    `.execute(db)
  },
})

type Page = ListPage<AccountQuery, AccountSort>

/** Accounts with the same timestamp are ordered by id, in either direction. */
function byAge({ direction, after, filter }: Page) {
  const isNewestFirst = direction === 'desc'
  const order = isNewestFirst ? sql`created_at desc, id` : sql`created_at, id desc`
  if (!after) return { where: filter, order }
  const { value, tiebreak } = after
  const behind = isNewestFirst
    ? sql`created_at <= ${value} and (created_at < ${value} or id > ${tiebreak})`
    : sql`created_at >= ${value} and (created_at > ${value} or id < ${tiebreak})`
  return { where: sql`${filter} and ${behind}`, order }
}

/** A search by words looks at this many matching accounts at most. */
export const maxFound = 2000
/** The text is part of an email rather than words. */
const isAddress = /^[^\s@]+@/

/** By email; accounts without one come first. `~<~` compares bytes, like the index for prefixes. */
function byText({ query: { text = '' }, direction, after, filter, limit }: Page) {
  const [before, behind] = direction === 'asc' ? [sql`~<~`, sql`~>~`] : [sql`~>~`, sql`~<~`]
  const inOrder = (email: Sql) =>
    sql`${email} using ${before}, id ${direction === 'asc' ? sql`asc` : sql`desc`}`
  const emailOrNone = sql`coalesce(email, '')`
  const isBehind = after
    ? sql`(${emailOrNone} ${behind} ${after.value} or (${emailOrNone} = ${after.value}
        and id ${direction === 'asc' ? sql`>` : sql`<`} ${after.tiebreak}))`
    : sql`true`
  const prefix = `${text.replaceAll(/[\\%_]/g, '\\$&')}%`
  // An email belongs to only one account, so the index finds where the page starts.
  const byPrefix = sql`
    select id from auth.account
    where ${filter} and email like ${prefix} ${after ? sql`and email ${behind} ${after.value}` : sql``}
    order by email using ${before} limit ${limit}`
  const hasWords = beginsWithWords(
    sql`auth.words_of(name, email)`,
    isAddress.test(text) ? '' : text,
  )
  const byWords = sql`
    select id from (
      select id, email, disabled_at from auth.account
      where ${hasWords} limit ${sql.lit(maxFound)}
    ) as found
    where ${filter} and ${isBehind} order by ${inOrder(emailOrNone)} limit ${limit}`
  return {
    where: sql`id = any(array((${byPrefix}) union (${byWords})))`,
    order: inOrder(emailOrNone),
  }
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
