import { afterEach, expect, test, vi } from 'vitest'
import { migrationsOf } from '../service.ts'
import { testDatabase } from '../testing/test-database.ts'
import { databaseClock } from './clock.ts'

afterEach(() => void vi.restoreAllMocks())

test('the time is the database’s, whatever the clock of this process says @long', async () => {
  const database = await testDatabase(migrationsOf([]))
  const truth = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(truth + 365 * 24 * 3600_000)
  const clock = await databaseClock(database.db)
  const first = clock.now()
  expect(Math.abs(first - truth)).toBeLessThan(60_000)
  expect(clock.now()).toBeGreaterThanOrEqual(first)
  clock.stop()
  await database.close()
})
