import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteIdentitiesOf } from './email/email.queries.ts'
import { replacePendingLink } from './external/external.queries.ts'
import { useRefreshToken } from './session/session.queries.ts'
import { startAuthServer, type AuthServer } from './testing/auth-server.ts'
import type { AuthDb } from './tables.ts'

let server: AuthServer
let accountId: string
beforeAll(async () => {
  server = await startAuthServer()
  await server.account()
  const account = await server.db.selectFrom('auth.account').select('id').executeTakeFirstOrThrow()
  accountId = account.id
})
afterAll(() => server.close())

const many = 5000
const at = new Date().toISOString()

/** How many rows of a table a piece of work looks at. */
async function rowsRead(table: string, work: (tx: AuthDb) => Promise<unknown>): Promise<number> {
  await sql`analyze auth.${sql.id(table)}`.execute(server.db)
  return server.db.transaction().execute(async (tx) => {
    await work(tx)
    const { rows } = await sql<{ count: string }>`
      select coalesce(idx_tup_fetch, 0) + seq_tup_read as count
      from pg_stat_xact_user_tables where schemaname = 'auth' and relname = ${table}
    `.execute(tx)
    return Number(rows[0]?.count)
  })
}

test('a refresh looks at as many tokens in a session that has used thousands', async () => {
  const { id } = await server.db.selectFrom('auth.session').select('id').executeTakeFirstOrThrow()
  await sql`
    insert into auth.refresh_token (hash, session_id, used_at)
    select 'used ' || n, ${id}, ${at}::timestamptz from generate_series(1, ${many}) n
  `.execute(server.db)
  const use = (tx: AuthDb) => useRefreshToken(tx, id, 'used 1', at, 'sealed')
  expect(await rowsRead('refresh_token', use)).toBeLessThan(10)
})

test('an offered identity, and a new password, look at as many offers among thousands', async () => {
  await sql`
    insert into auth.pending_link (hash, account_id, broker, issuer, subject, email, expires_at)
    select 'hash ' || n, ${accountId}, 'b', 'https://id.example.com', 'subject ' || n, '', ${at}::timestamptz
    from generate_series(1, ${many}) n
  `.execute(server.db)
  const offer = (tx: AuthDb) =>
    replacePendingLink(tx, {
      hash: 'new',
      account_id: accountId,
      broker: 'b',
      issuer: 'https://id.example.com',
      subject: 'subject 7',
      name: null,
      email: '',
      expires_at: at,
    })
  expect(await rowsRead('pending_link', offer)).toBeLessThan(10)
  const remove = (tx: AuthDb) => deleteIdentitiesOf(tx, randomUUID())
  expect(await rowsRead('pending_link', remove)).toBeLessThan(10)
})
