import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, inject, test, vi } from 'vitest'
import { newCard } from '@grove/secure-element/card/card-state'
import { openDatabase, type Database } from '../../../../core/database/database.ts'
import { migrate } from '../../../../core/database/migrate.ts'
import { runScript } from '../../../../core/testing/run-script.ts'
import { migrationsOf } from '../../../../core/service.ts'
import { testDatabase } from '../../../../core/testing/test-database.ts'
import { everything } from '../../../../core/scope.ts'
import { maple } from '../../index.ts'
import type { MapleTables } from '../../base/tables.ts'
import { readExchanges } from './exchange.queries.ts'
import { findSession } from './session.queries.ts'
import { openSessionHub } from './session-hub.ts'

const script = new URL('./testing/hold-session.ts', import.meta.url)
const sources = migrationsOf([maple])
const isPostgres = process.env['GROVE_TEST_ENGINE'] === 'postgres'

async function addCard({ db }: Database): Promise<string> {
  const state = newCard({ seed: 'killed' })
  await sql`insert into maple.element (cplc) values (${state.cplc})`.execute(db)
  await sql`insert into maple.software_card (cplc, state)
    values (${state.cplc}, ${JSON.stringify(state)}::jsonb)`.execute(db)
  return state.cplc
}

/** The remains of a session whose process was killed while a command had no reply. */
async function expectClosed(
  database: Database,
  id: string,
  unknown = ['80F28002024F0000'],
): Promise<void> {
  const db = database.db.withTables<MapleTables>()
  const hub = openSessionHub({ db, now: Date.now }, { isAlone: !isPostgres })
  hub.start(() => {})
  await vi.waitFor(
    async () =>
      expect((await hub.sweep(), await findSession(db, id, everything))?.endedAt).not.toBeNull(),
    {
      timeout: 20_000,
      interval: 50,
    },
  )
  const session = await findSession(db, id, everything)
  expect(session).toMatchObject({
    state: 'closed',
    endReason: 'server_restarted',
    exchanges: 2 + unknown.length,
    failed: unknown.length,
    firstError: 3,
  })
  const log = await readExchanges(db, { id, day: session?.day ?? '' }, { after: 0, limit: 10 })
  expect(log.map(({ seq, command, statusWord }) => [seq, command, statusWord])).toEqual([
    [1, '00A4040000', 0x9000],
    [2, '80CA9F7F00', 0x9000],
    ...unknown.map((command, index) => [3 + index, command, null]),
  ])
  const { rows } = await sql`select from maple.session_lease`.execute(db)
  expect(rows).toEqual([])
  await hub.close()
}

const batch = ['80F28002024F0000', '80CA006600', '80CA00CF00']

test.runIf(isPostgres).each([
  ['an exchange', 'single', batch.slice(0, 1)],
  ['a batch', 'batch', batch],
])(
  'kill -9 in the middle of %s: another process closes the session, with its log complete',
  async (_, form, unknown) => {
    const database = await testDatabase(sources)
    const cplc = await addCard(database)
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(
      database.db,
    )
    const url = Object.assign(new URL(inject('postgresUrl')), {
      pathname: `/${rows[0]?.name}`,
    }).href
    const folder = await mkdtemp(join(tmpdir(), 'grove-session-'))
    const { child, firstLine, exited } = runScript(script, url, folder, cplc, form)
    const id = await firstLine
    child.kill('SIGKILL')
    await exited
    await expectClosed(database, id, unknown)
    await database.close()
    await rm(folder, { recursive: true })
  },
  120_000,
)

test.runIf(!isPostgres)(
  'kill -9 in the middle of an exchange: the next start closes the session, with its log complete @long',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'grove-session-'))
    const made = await openDatabase({ folder })
    await migrate(made.db, sources)
    const cplc = await addCard(made)
    await made.close()
    const { child, firstLine, exited } = runScript(script, '', folder, cplc)
    const id = await firstLine
    child.kill('SIGKILL')
    await exited
    const again = await openDatabase({ folder })
    await expectClosed(again, id)
    await again.close()
    await rm(folder, { recursive: true })
  },
  120_000,
)
