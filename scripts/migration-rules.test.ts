import { expect, test } from 'vitest'
import { readMigrations } from '../apps/platform/src/core/database/migration-files.ts'
import { readIndexStatements } from '../apps/platform/src/core/database/concurrent-indexes.ts'
import { migrationsOf } from '../apps/platform/src/core/service.ts'
import { services } from '../apps/platform/src/services.ts'
import { faultsOf } from './migration-rules.ts'

const all = (await Promise.all(migrationsOf(services).map(readMigrations))).flat()

test('every migration leaves the release before it working, or is marked as a contract', () => {
  const faults = all.flatMap(({ service, name, text }) =>
    faultsOf(service, name, text).map(
      ({ line, reason }) => `${service}/migrations/${name}:${line} ${reason}`,
    ),
  )
  expect(faults, 'docs/decisions/0059-releases-side-by-side.md says what to do').toEqual([])
})

test('what runs outside of a transaction can be repeated', () => {
  for (const { service, name, text, isConcurrent } of all)
    if (isConcurrent) readIndexStatements(text, `${service}/${name}`)
})

const later = (text: string) => faultsOf('maple', '9000_later.sql', text)

test.each([
  ['drop table maple.device;', 'drops something'],
  ['DROP VIEW maple.device_of_day;', 'drops something'],
  ['alter table maple.device drop column name;', 'drops a column'],
  ['alter table maple.device drop name;', 'drops a column'],
  ['alter table maple.device rename to appliance;', 'renames'],
  ['alter table maple.device rename column name to title;', 'renames'],
  ['alter table maple.device\n  alter name type varchar(3);', 'type of a column'],
  ['alter table maple.device alter column name set not null;', 'demands a value'],
  ['alter table maple.device add weight int not null;', 'has no default'],
  ['alter table maple.device add column a int, add b text not null;', 'has no default'],
  ['alter table maple.device add key uuid default gen_random_uuid();', 'a value of its own'],
  ['alter table maple.device add constraint short check (true);', 'adds a constraint'],
  ['create index by_name on maple.device (name);', 'locks maple.device'],
  ['create unique index if not exists by_name on maple.event (at);', 'locks maple.event'],
])('%s is refused', (text, reason) => {
  expect(later(`select 1;\n\n${text}`)).toEqual([
    { line: 3, reason: expect.stringContaining(reason) },
  ])
  expect(later(`-- contract since 8999: nothing uses it\n${text}`)).toEqual([])
  // This file is older than the rules.
  expect(faultsOf('maple', '0066_before.sql', text)).toEqual([])
})

test.each([
  "alter table maple.device add weight int not null default 0, add note text default 'not null';",
  'alter table maple.device alter name drop not null, drop constraint short;',
  'create table maple.pear (id int not null); create index on maple.pear (id); alter table maple.pear add constraint c check (true);',
  'create index concurrently by_name on maple.device (name);',
  'create index by_name on maple.role (name);',
  'drop index maple.by_name; drop trigger x on maple.device;',
  "create function maple.f() returns text language sql as $$ select 'x'; drop table x; $$;",
  '-- drop table maple.device;\nselect 1;',
])('%s is fine', (text) => {
  expect(later(text)).toEqual([])
})
