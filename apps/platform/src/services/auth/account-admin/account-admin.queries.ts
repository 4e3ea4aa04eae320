import { sql, type RawBuilder } from 'kysely'
import type { Account } from '@grove/contract'
import type { AccountState } from '@grove/contract/auth/account.rules'
import type { KeysetRange } from '../../../core/database/keyset-page.ts'
import type { AuthDb } from '../tables.ts'

export interface AccountFilter {
  state: AccountState | undefined
  /** The beginning of an email, in lower case; undefined for all accounts. */
  prefix: string | undefined
}

const columns = sql`
  account.id, account.email, account.email_verified_at as "emailVerifiedAt", account.name,
  account.roles, account.disabled_at as "disabledAt", account.created_at as "createdAt",
  (select last_used_at from auth.session where account_id = account.id
    order by last_used_at desc limit 1) as "lastUsedAt"
`

/**
 * One page: the newest first, or by email where one is begun. Each order is an index's own, so that
 * a page costs its rows and not the table's.
 */
export async function pageOfAccounts(
  db: AuthDb,
  { state, prefix }: AccountFilter,
  { after, isBackward, limit }: KeysetRange,
): Promise<Account[]> {
  const conditions: RawBuilder<unknown>[] = []
  if (state !== undefined)
    conditions.push(sql`disabled_at is ${state === 'enabled' ? sql`` : sql`not`} null`)
  // `~>~` compares bytes, as the index for prefixes does.
  if (prefix !== undefined) {
    conditions.push(sql`email like ${`${prefix.replaceAll(/[\\%_]/g, '\\$&')}%`}`)
    if (after) conditions.push(sql`email ${isBackward ? sql`~<~` : sql`~>~`} ${after.value}`)
  } else if (after) {
    const { value, tiebreak } = after
    conditions.push(
      isBackward
        ? sql`created_at >= ${value} and (created_at > ${value} or id < ${tiebreak})`
        : sql`created_at <= ${value} and (created_at < ${value} or id > ${tiebreak})`,
    )
  }
  const newestFirst = isBackward ? sql`created_at, id desc` : sql`created_at desc, id`
  const byEmail = isBackward ? sql`email using ~>~` : sql`email using ~<~`
  const { rows } = await sql<Account>`
    select ${columns} from auth.account as account
    where ${conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`}
    order by ${prefix === undefined ? newestFirst : byEmail}
    limit ${limit}
  `.execute(db)
  return rows
}

export async function findAccount(db: AuthDb, id: string): Promise<Account | undefined> {
  const { rows } = await sql<Account>`
    select ${columns} from auth.account as account where id = ${id}
  `.execute(db)
  return rows[0]
}
