import { copyFile, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { migrate } from '../../core/database/migrate.ts'
import { testDatabase } from '../../core/testing/test-database.ts'

const folder = new URL('migrations/', import.meta.url)

test('an update makes the names of providers searchable, whatever their language', async () => {
  const database = await testDatabase([])
  const root = await mkdtemp(join(tmpdir(), 'grove-migrations-'))
  const older = join(root, 'services/cedar/migrations')
  await mkdir(older, { recursive: true })
  // What migrations include is beside them.
  await symlink(fileURLToPath(new URL('../../core', import.meta.url)), join(root, 'core'))
  for (const name of await readdir(folder))
    if (name < '0006') await copyFile(new URL(name, folder), join(older, name))
  await migrate(database.db, [{ service: 'cedar', folder: pathToFileURL(`${older}/`) }])
  const names = JSON.stringify([
    { localeCode: 'en-US', name: 'Harbour STUDIO' },
    { localeCode: 'ru-RU', name: 'Студия «Ёлка»' },
  ])
  await sql`insert into cedar.provider (id, owner_id, is_default, translations)
    values ('0198f0a2-6a52-7c3e-9d7a-6f2d0c1b9e55', 'anna', false, ${names}::jsonb)`.execute(
    database.db,
  )

  await migrate(database.db, [{ service: 'cedar', folder }])
  const { rows } = await sql`
    select sort_name, search_text, limits, fares from cedar.provider`.execute(database.db)
  expect(rows).toEqual([
    {
      sort_name: 'harbour studio',
      search_text: 'harbour studio\nстудия «ёлка»',
      limits: {},
      fares: [],
    },
  ])
  await database.close()
  await rm(root, { recursive: true })
})
