import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { StartupError } from '../startup-error.ts'
import { openDatabase } from './database.ts'
import { isDatabaseUnavailable, isDiskFull } from './unavailable.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grove-unavailable-'))
})
afterEach(() => rm(folder, { recursive: true }))

const failure = (code: string, more = {}) => Object.assign(new Error('failed'), { code, ...more })

test.each(['ECONNREFUSED', 'ECONNRESET', '08006', '53100', '53300', '57014', '57P01', '40P01'])(
  '%s may succeed later',
  (code) => expect(isDatabaseUnavailable(failure(code))).toBe(true),
)

test.each(['23505', '42703', '22P02', 'ENOENT', 'FST_ERR'])('%s will not succeed later', (code) =>
  expect(isDatabaseUnavailable(failure(code))).toBe(false),
)

test('a full disk has its own error', () => {
  expect(isDiskFull(failure('53100'))).toBe(true)
  expect(isDiskFull(failure('ENOSPC'))).toBe(true)
  expect(isDiskFull(failure('57P01'))).toBe(false)
})

test.each(['mysql://localhost/grove', 'grove', 'postgres://[', 'http://localhost'])(
  'the address %s is refused by name',
  async (url) => {
    await expect(openDatabase({ url, folder })).rejects.toThrow(/DATABASE_URL is not/)
    await expect(openDatabase({ url, folder })).rejects.toBeInstanceOf(StartupError)
  },
)

test('a server that does not exist is reported in one sentence without the password', async () => {
  const opening = openDatabase({ url: 'postgres://grove:secret@127.0.0.1:1/grove', folder })
  await expect(opening).rejects.toThrow(/^PostgreSQL at 127\.0\.0\.1:1\/grove .*ECONNREFUSED/)
  await expect(opening).rejects.not.toThrow(/secret/)
})

test('a data folder that is a file is reported in one sentence', async () => {
  const file = join(folder, 'file')
  await writeFile(file, '')
  await expect(openDatabase({ folder: file })).rejects.toThrow(
    new RegExp(`^Grove cannot write to its data folder ${file}`),
  )
})

describe.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')('PostgreSQL', () => {
  test('that drops every connection is found again automatically', async () => {
    const url = inject('postgresUrl')
    const [database, admin] = await Promise.all([
      openDatabase({ url, folder }),
      openDatabase({ url, folder }),
    ])
    const waiting = sql`select pg_sleep(20)`.execute(database.db).catch((error: unknown) => error)
    const drop = sql<{ dropped: boolean }>`
      select pg_terminate_backend(pid) as dropped from pg_stat_activity
      where query like 'select pg_sleep(20)%' and pid <> pg_backend_pid()`
    await expect.poll(async () => (await drop.execute(admin.db)).rows.length).toBeGreaterThan(0)
    expect(isDatabaseUnavailable(await waiting)).toBe(true)
    // The pool may hand out the dead connection once more before it notices.
    await expect
      .poll(() =>
        database.ping().then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
    await Promise.all([database.close(), admin.close()])
  })
})
