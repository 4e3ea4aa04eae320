import { randomUUID } from 'node:crypto'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { platformMigrations } from '../../../core/database/migration-files.ts'
import { migrate } from '../../../core/database/migrate.ts'
import { testDatabase } from '../../../core/testing/test-database.ts'
import { searchTextOf } from '../parts/translations.ts'

const migrations = new URL('../migrations/', import.meta.url)

test('versions from before the public catalogue are searched like later ones', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'grove-migrations-'))
  await copyFile(new URL('0001_catalogue.sql', migrations), join(folder, '0001_catalogue.sql'))
  const { db, close } = await testDatabase([
    { service: 'cedar', folder: pathToFileURL(`${folder}/`) },
  ])
  const translations = [
    { localeCode: 'ru-RU' as const, title: 'ЁЖ и ЩУКА Ⅳ' },
    { localeCode: 'en-US' as const, title: 'Hedgehog ﬁn & Pike №2' },
  ]
  await sql`
    with provider as (
      insert into cedar.provider (id, owner_id, is_default, translations)
      values (${randomUUID()}, 'anna', true, '[]') returning id
    ), product as (
      insert into cedar.product (id, provider_id, translations, sort_title, search_text)
      select ${randomUUID()}::uuid, id, '[]', '', '' from provider returning id
    )
    insert into cedar.product_version (id, product_id, major, minor, patch, translations)
    select ${randomUUID()}::uuid, id, 1, 0, 0, ${JSON.stringify(translations)}::jsonb from product
  `.execute(db)
  await migrate(db, [platformMigrations, { service: 'cedar', folder: migrations }])
  const { rows } = await sql<{ search_text: string }>`
    select search_text from cedar.product_version`.execute(db)
  expect(rows).toEqual([{ search_text: searchTextOf(translations) }])
  await close()
  await rm(folder, { recursive: true })
})
