import { mkdtemp, copyFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { platformMigrations } from '../../core/database/migration-files.ts'
import { migrate } from '../../core/database/migrate.ts'
import { testDatabase } from '../../core/testing/test-database.ts'

const folder = new URL('migrations/', import.meta.url)

test('an update keeps the audit trail and the queued mail', async () => {
  const database = await testDatabase([])
  const older = await mkdtemp(join(tmpdir(), 'grove-migrations-'))
  for (const name of ['0001_auth.sql', '0002_sign_in_methods.sql', '0003_lookups.sql'])
    await copyFile(new URL(name, folder), join(older, name))
  await migrate(database.db, [
    platformMigrations,
    { service: 'auth', folder: pathToFileURL(older) },
  ])
  const id = '0198f0a2-6a52-7c3e-9d7a-6f2d0c1b9e55'
  await sql`insert into auth.audit (actor, action, subject, after)
    values ('somebody', 'session.start', 's1', '{"method":"password"}')`.execute(database.db)
  await sql`insert into auth.mail (id, sealed_mail, attempts, next_attempt_at, created_at)
    values (${id}, 'sealed', 4, '2026-01-02', '2026-01-01')`.execute(database.db)

  await migrate(database.db, [platformMigrations, { service: 'auth', folder }])
  const events = await sql`select id, actor, action, subject, after from auth.event`.execute(
    database.db,
  )
  expect(events.rows).toEqual([
    {
      id: 1,
      actor: 'somebody',
      action: 'session.start',
      subject: 's1',
      after: { method: 'password' },
    },
  ])
  const jobs = await sql`
    select id, name, state, sealed_input, attempts, due_at, queued_at from auth.job`.execute(
    database.db,
  )
  // The id is the Message-ID of every attempt.
  expect(jobs.rows).toEqual([
    {
      id,
      name: 'mail.send',
      state: 'queued',
      sealed_input: 'sealed',
      attempts: 4,
      due_at: '2026-01-02T00:00:00.000000Z',
      queued_at: '2026-01-01T00:00:00.000000Z',
    },
  ])
  await database.close()
  await rm(older, { recursive: true })
})
