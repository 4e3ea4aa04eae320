import { expect, test } from 'vitest'
import { readMigrations } from './core/database/migration-files.ts'
import { migrationsOf } from './core/service.ts'
import { services } from './services.ts'

/** As databases have applied them: changes elsewhere in core must not affect them. */
const applied = {
  'auth/0004_jobs_and_events.sql':
    'f17a7d77f8b419d5d1e9204b41f9329e87d317398f71130f214b18392053c380',
  'cedar/0004_jobs_and_events.sql':
    '9881660f0ae381d043ab573ca05e1ab183e98c05807001ec83c4c8a6b81283d0',
  'maple/0003_jobs_and_events.sql':
    'a30e2964f8b250ab1d46d19a5d90ad932a8cb9a87bd063f597834b2bdc0ab526',
}

test('migrations that include the tables of core match those that databases have applied', async () => {
  const migrations = (await Promise.all(migrationsOf(services).map(readMigrations))).flat()
  const hashes = migrations.map(({ service, name, sha256 }) => [`${service}/${name}`, sha256])
  expect(Object.fromEntries(hashes)).toMatchObject(applied)
})
