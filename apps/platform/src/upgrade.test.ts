import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Database } from './core/database/database.ts'
import { migrate } from './core/database/migrate.ts'
import { readMigrations } from './core/database/migration-files.ts'
import { migrationsOf } from './core/service.ts'
import { testDatabase } from './core/testing/test-database.ts'
import { auth } from './services/auth/index.ts'
import { cedar } from './services/cedar/index.ts'
import { maple } from './services/maple/index.ts'

const sources = migrationsOf([auth, cedar, maple])

let database: Database
beforeEach(async () => {
  database = await testDatabase([])
})
afterEach(() => database.close())

/** Takes the database back to before these. */
async function before(...later: string[]): Promise<void> {
  const all = (await Promise.all(sources.map(readMigrations))).flat()
  const names = all.map(({ service, name }) => `${service}/${name}`)
  expect(names).toEqual(expect.arrayContaining(later))
  const only = new Set(names.filter((name) => !later.includes(name)))
  await migrate(database.db, sources, { only })
}
const upgrade = () => migrate(database.db, sources)

async function account({ isClosed = false, isVerified = true } = {}) {
  const id = randomUUID()
  const email = `${id}@grove.test`
  await sql`
    insert into auth.account (id, email, password_hash, roles, locale, created_at, disabled_at,
      email_verified_at)
    values (${id}, ${email}, '', '{DEVELOPER}', 'en-US', now(), ${isClosed ? sql`now()` : null},
      ${isVerified ? sql`now()` : null})`.execute(database.db)
  return { id, email }
}

async function provider(owner: string, members: Record<string, boolean>): Promise<string> {
  const id = randomUUID()
  await sql`
    insert into cedar.provider (id, owner_id, is_default, translations, sort_name, search_text)
    values (${id}, ${owner}, false, '[]', '', '')`.execute(database.db)
  for (const [user, isOwner] of Object.entries(members))
    await sql`
      insert into cedar.provider_user (provider_id, user_id, is_owner)
      values (${id}, ${user}, ${isOwner})`.execute(database.db)
  return id
}

test('members linked by their email become members by their id, only once', async () => {
  await before('cedar/0017_keys_end_with_their_maker.sql')
  const [anna, boris, clara] = [await account(), await account(), await account()]
  // The ownership of this address has never been confirmed.
  const david = await account({ isVerified: false })
  const twice = await provider(boris.email, {
    [anna.id]: false,
    [anna.email.toUpperCase()]: true,
    [boris.id]: true,
    [boris.email]: false,
    [david.email]: false,
  })
  const other = await provider(anna.id, { [clara.email]: false, [anna.id]: true })
  await upgrade()
  const membersOf = async (id: string) =>
    (
      await sql<{ user: string; isOwner: boolean }>`
        select user_id as user, is_owner as "isOwner" from cedar.provider_user
        where provider_id = ${id} order by user_id`.execute(database.db)
    ).rows.map(({ user, isOwner }) => `${user} ${isOwner ? 'owner' : 'member'}`)
  // Of two rows for one person, the one with more rights counts.
  expect(await membersOf(twice)).toEqual(
    [`${anna.id} owner`, `${boris.id} owner`, `${david.email} member`].toSorted(),
  )
  expect(await membersOf(other)).toEqual([`${anna.id} owner`, `${clara.id} member`].toSorted())
  const { rows } = await sql<{ owner: string }>`
    select owner_id as owner from cedar.provider where id = ${twice}`.execute(database.db)
  expect(rows).toEqual([{ owner: boris.id }])
}, 60_000)

test.each([
  // In whatever order the services come: the platform may have run only one of them.
  ['of Maple', ['maple/0055_revocations.sql', 'maple/0057_readers_of_closed_accounts.sql']],
  ['of the authentication service', ['auth/0007_revocations.sql']],
  ['', ['maple/0057_readers_of_closed_accounts.sql']],
])(
  'readers of accounts that were closed before the upgrade %s end with it',
  async (_, later) => {
    await before(...later)
    const [closed, open] = [await account({ isClosed: true }), await account()]
    for (const { id } of [closed, open, { id: 'from-elsewhere' }])
      await sql`
      insert into maple.reader (id, name, name_key, added_by, key_hash)
      values (gen_random_uuid(), 'x', 'x', ${id}, ${id})`.execute(database.db)
    await upgrade()
    const { rows } = await sql<{ maker: string }>`
    select added_by as maker from maple.reader`.execute(database.db)
    expect(rows.map(({ maker }) => maker).toSorted()).toEqual(
      [open.id, 'from-elsewhere'].toSorted(),
    )
  },
  60_000,
)
