import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { testDatabase } from '../testing/test-database.ts'
import type { Database } from './database.ts'

let database: Database
beforeAll(async () => {
  database = await testDatabase([])
})
afterAll(() => database.close())
const isPostgres = process.env['GROVE_TEST_ENGINE'] === 'postgres'

/** Messages of a channel. */
async function listener(channel: string) {
  const { notices } = database
  const heard: string[] = []
  const stop = notices.on(channel, (text) => heard.push(text))
  await vi.waitFor(() => expect(notices.isLive()).toBe(true))
  return { heard, stop }
}

test('a notice reaches those who listen to its channel, until they stop', async () => {
  const { notices } = database
  const [one, other] = [await listener('one'), await listener('other')]
  // The second channel was added while the first was live.
  await vi.waitFor(async () => {
    await notices.send('other', 'b')
    expect(other.heard).toContain('b')
  })
  await notices.send('one', 'a')
  await vi.waitFor(() => expect(one.heard).toEqual(['a']))
  one.stop()
  const third = await listener('one')
  await notices.send('one', 'c')
  await vi.waitFor(() => expect(third.heard).toEqual(['c']))
  expect(one.heard).toEqual(['a'])
})

test.runIf(isPostgres)('a lost connection is reopened, and listens @long', async () => {
  const { notices, db } = database
  const { heard } = await listener('lasting')
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'grove notices' and datname = current_database()`.execute(db)
  await vi.waitFor(() => expect(notices.isLive()).toBe(false))
  await vi.waitFor(() => expect(notices.isLive()).toBe(true), { timeout: 10_000 })
  await notices.send('lasting', 'again')
  await vi.waitFor(() => expect(heard).toEqual(['again']))
})
