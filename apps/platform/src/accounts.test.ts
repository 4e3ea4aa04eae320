import { sql } from 'kysely'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from './core/database/database.ts'
import { migrate } from './core/database/migrate.ts'
import { migrationsOf } from './core/service.ts'
import { programArgs } from './core/testing/run-script.ts'
import { auth } from './services/auth/index.ts'
import { maple } from './services/maple/index.ts'

const isPostgres = process.env['GROVE_TEST_ENGINE'] === 'postgres'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grove-accounts-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Runs the command like `npm run accounts --`. */
const accounts = (...args: string[]) =>
  new Promise<{ code: number; output: string }>((resolve) => {
    const script = fileURLToPath(new URL('accounts.ts', import.meta.url))
    const options = {
      // A folder without a .env file.
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      env: { PATH: process.env['PATH'], GROVE_DATA: folder },
    }
    execFile(process.execPath, programArgs(script, ...args), options, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), output: out + err }),
    )
  })

test.skipIf(isPostgres)(
  'the command says which account it created or changed, and what is missing',
  async () => {
    expect(await accounts('beyond')).toMatchObject({
      code: 1,
      output: expect.stringContaining('"beyond" is no command for accounts.'),
    })
    expect(await accounts('beyond-scope')).toMatchObject({
      code: 1,
      output: expect.stringContaining('There is no database in'),
    })
    expect(await readdir(folder)).toEqual([])

    const database = await openDatabase({ folder })
    await migrate(database.db, migrationsOf([auth, maple]))
    const [actor, account] = [randomUUID(), randomUUID()]
    await sql`insert into maple.service (id, name, name_key) values ('acme', 'acme', 'acme')`.execute(
      database.db,
    )
    await sql`
    insert into maple.account (id, roles, service_id) values (${actor}, '{admin}', 'acme')
  `.execute(database.db)
    await database.close()
    expect(await accounts('beyond-scope')).toEqual({
      code: 0,
      output: 'No account reaches further than who made it.\n',
    })

    expect(await accounts('admin', 'ada')).toMatchObject({
      code: 1,
      output: '"ada" is not an email address such as ada@example.com.\n',
    })
    const made = await accounts('admin', 'ada@example.com')
    expect(made.output).toMatch(
      /^ada@example.com becomes an administrator with this link, which works once, until .* UTC:\n\n {2}http:\/\/127.0.0.1:3000\/login\/invitation#\S{20,}\n$/,
    )
    expect(made.code).toBe(0)

    const again = await openDatabase({ folder })
    await sql`
    insert into maple.event (at, actor, action, subject, after)
    values ('2026-11-20T10:11:12Z', ${actor}, 'account.create', ${account}, '{"serviceId": null}')
  `.execute(again.db)
    await again.close()
    expect(await accounts('beyond-scope')).toEqual({
      code: 0,
      output: [
        `2026-11-20 10:11 UTC  account.create  account ${account} of every service provider, by ${actor}, limited to service provider acme; deleted since`,
        '1 change made accounts reach further than who made them.\n',
      ].join('\n'),
    })
  },
  90_000,
)
