import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventList } from '../../core/events/event.queries.ts'
import { jobList } from '../../core/jobs/job-list.queries.ts'
import { everything } from '../../core/scope.ts'
import { accountList, maxFound } from './account-admin/account-admin.queries.ts'
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

/** How many rows of a table an operation reads. */
async function rowsRead(table: string, work: (tx: AuthDb) => Promise<unknown>): Promise<number> {
  await sql`analyze auth.${sql.id(table)}`.execute(server.db)
  return server.db.transaction().execute(async (tx) => {
    // The connection may not have reported its earlier reads yet.
    const before = await countOfReads(tx, table)
    await work(tx)
    return (await countOfReads(tx, table)) - before
  })
}

async function countOfReads(tx: AuthDb, table: string): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select coalesce(idx_tup_fetch, 0) + seq_tup_read as count
    from pg_stat_xact_user_tables where schemaname = 'auth' and relname = ${table}
  `.execute(tx)
  return Number(rows[0]?.count)
}

test('a refresh reads no more tokens in a session that has used thousands', async () => {
  const { id } = await server.db.selectFrom('auth.session').select('id').executeTakeFirstOrThrow()
  await sql`
    insert into auth.refresh_token (hash, session_id, used_at)
    select 'used ' || n, ${id}, ${at}::timestamptz from generate_series(1, ${many}) n
  `.execute(server.db)
  const use = (tx: AuthDb) => useRefreshToken(tx, id, 'used 1', at, 'sealed')
  expect(await rowsRead('refresh_token', use)).toBeLessThan(10)
})

test('offering an identity, and a new password, read no more offers among thousands', async () => {
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

/** A page of ten may skip some rows with a common value, but never reads the table. */
const maxRead = many / 10

/** Reads two pages, and counts the rows read for the second. */
async function rowsOfPage(
  table: string,
  read: (tx: AuthDb, at: { limit: number; cursor?: string }) => Promise<{ next: string | null }>,
): Promise<number> {
  const { next } = await read(server.db, { limit: 10 })
  if (next === null) throw new Error('There is one page alone.')
  return rowsRead(table, (tx) => read(tx, { limit: 10, cursor: next }))
}

test('a page of accounts reads only its own accounts among thousands', async () => {
  await sql`
    insert into auth.account (id, email, roles, locale, created_at, disabled_at)
    select gen_random_uuid(), 'many-' || n || '@grove.test', '{}', 'en-US',
      ${at}::timestamptz - n * interval '1 minute', case when n % 50 = 0 then ${at}::timestamptz end
    from generate_series(1, ${many}) n
  `.execute(server.db)
  const byAge = { sort: 'createdAt', order: 'desc' } as const
  for (const query of [
    byAge,
    { ...byAge, state: 'enabled' },
    { ...byAge, state: 'disabled' },
  ] as const) {
    const rows = await rowsOfPage('account', (tx, page) =>
      accountList.read(tx, { ...query, ...page }),
    )
    expect(rows, JSON.stringify(query)).toBeLessThan(maxRead)
  }
  // All of them contain the word.
  const search = { sort: 'email', order: 'asc', text: 'many-' } as const
  const rows = await rowsOfPage('account', (tx, page) =>
    accountList.read(tx, { ...search, ...page }),
  )
  expect(rows).toBeLessThan(maxFound + maxRead)
})

test('a page of events reads only its own events among thousands', async () => {
  await sql`
    insert into auth.event (at, actor, action, subject)
    select ${at}::timestamptz - n * interval '1 minute', 'actor ' || n % 7, 'account.' || n % 5,
      'subject ' || n % 9
    from generate_series(1, ${many}) n
  `.execute(server.db)
  for (const query of [{}, { actor: 'actor 3' }, { action: 'account.3' }, { subject: 'subject 3' }])
    expect(
      await rowsOfPage('event', (tx, page) =>
        eventList.read(tx, { ...query, ...page }, { schema: 'auth', scope: everything }),
      ),
      JSON.stringify(query),
    ).toBeLessThan(maxRead)
})

test('a page of jobs reads only its own jobs among thousands', async () => {
  await sql`
    insert into auth.job (name, state, max_attempts, due_at, created_at, queued_at)
    select 'mail.send', case when n % 100 = 0 then 'failed' else 'completed' end, 1,
      ${at}, ${at}::timestamptz - n * interval '1 minute', ${at}
    from generate_series(1, ${many}) n
  `.execute(server.db)
  const store = { schema: 'auth', passedMs: () => 0 }
  for (const query of [{}, { state: 'failed' }, { state: 'failed,completed' }])
    expect(
      await rowsOfPage('job', (tx, page) =>
        jobList.read({ ...store, db: tx as never }, { ...query, ...page }, everything),
      ),
      JSON.stringify(query),
    ).toBeLessThan(maxRead)
})
