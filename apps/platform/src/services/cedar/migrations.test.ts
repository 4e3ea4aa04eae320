import { copyFile, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { platformMigrations } from '../../core/database/migration-files.ts'
import { migrate } from '../../core/database/migrate.ts'
import { testDatabase } from '../../core/testing/test-database.ts'

const folder = new URL('migrations/', import.meta.url)

/** A database as it was before a migration. */
async function databaseBefore(next: string) {
  const database = await testDatabase([])
  const root = await mkdtemp(join(tmpdir(), 'grove-migrations-'))
  const older = join(root, 'services/cedar/migrations')
  await mkdir(older, { recursive: true })
  // Files that migrations include are next to them.
  await symlink(fileURLToPath(new URL('../../core', import.meta.url)), join(root, 'core'))
  for (const name of await readdir(folder))
    if (name < next) await copyFile(new URL(name, folder), join(older, name))
  await migrate(database.db, [
    platformMigrations,
    { service: 'cedar', folder: pathToFileURL(`${older}/`) },
  ])
  return {
    db: database.db,
    update: () => migrate(database.db, [platformMigrations, { service: 'cedar', folder }]),
    close: async () => {
      await database.close()
      await rm(root, { recursive: true })
    },
  }
}

test('an update makes the names of providers searchable, whatever their language', async () => {
  const { db, update, close } = await databaseBefore('0006')
  const names = JSON.stringify([
    { localeCode: 'en-US', name: 'Harbour STUDIO' },
    { localeCode: 'ru-RU', name: 'Студия «Ёлка»' },
  ])
  await sql`insert into cedar.provider (id, owner_id, is_default, translations)
    values ('0198f0a2-6a52-7c3e-9d7a-6f2d0c1b9e55', 'anna', false, ${names}::jsonb)`.execute(db)

  await update()
  const { rows } = await sql`
    select sort_name, search_text, limits, fares from cedar.provider`.execute(db)
  expect(rows).toEqual([
    {
      sort_name: 'harbour studio',
      search_text: 'harbour studio\nстудия «ёлка»',
      limits: {},
      fares: [],
    },
  ])
  await close()
})

test('an update finds the provider and product of earlier events, including deleted versions', async () => {
  const { db, update, close } = await databaseBefore('0007')
  const [provider, product, version, gone] = ['a', 'b', 'c', 'd'].map(
    (digit) => `0198f0a2-6a52-7c3e-9d7a-${digit.repeat(12)}`,
  )
  await sql`insert into cedar.provider
    (id, owner_id, is_default, translations, sort_name, search_text)
    values (${provider}, 'anna', false, '[]', '', '')`.execute(db)
  await sql`insert into cedar.product (id, provider_id, translations, sort_title, search_text)
    values (${product}, ${provider}, '[]', '', '')`.execute(db)
  await sql`insert into cedar.product_version
    (id, product_id, major, minor, patch, translations, search_text)
    values (${version}, ${product}, 1, 0, 0, '[]', '')`.execute(db)
  await sql`insert into cedar.event (action, subject, before) values
    ('provider.update', ${provider}, null), ('product.update', ${product}, null),
    ('version.update', ${version}, '[]'),
    ('version.delete', ${gone}, jsonb_build_object('productId', ${product}::text)),
    ('security.refused', 'sign-in', null)`.execute(db)
  await update()
  const { rows } = await sql`
    select provider_id, product_id from cedar.event order by id`.execute(db)
  expect(rows).toEqual([
    { provider_id: provider, product_id: null },
    { provider_id: provider, product_id: product },
    { provider_id: provider, product_id: product },
    { provider_id: provider, product_id: product },
    { provider_id: null, product_id: null },
  ])
  await expect(sql`update cedar.event set actor = 'x'`.execute(db)).rejects.toThrow('never changed')
  await close()
})
