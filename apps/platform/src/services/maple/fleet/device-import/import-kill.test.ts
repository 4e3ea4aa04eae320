import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { expect, inject, test, vi } from 'vitest'
import { createJobQueue } from '../../../../core/jobs/job-queue.ts'
import { openFolderObjects } from '../../../../core/objects/folder-objects.ts'
import { runScript } from '../../../../core/testing/run-script.ts'
import { startTestServer } from '../../../../core/testing/test-platform.ts'
import { everything } from '../../../../core/scope.ts'
import { maple } from '../../index.ts'
import { mapleJobs, type MapleJobs } from '../../jobs.ts'
import * as queries from './device-import.queries.ts'
import { createImport, checkImport, startImport } from './device-import.service.ts'

const script = new URL('./testing/run-import.ts', import.meta.url)
const patience = { timeout: 60_000, interval: 5 }
const rowCount = 6000

// The embedded database has one process, so killing it kills the whole platform
// (core/database/kill.test.ts); what remains to be tested is that another process continues.
test.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')(
  'an import killed again and again resumes without loss or duplicates',
  async () => {
    // It runs no jobs itself: its polls are too far apart.
    const server = await startTestServer([maple], { jobs: { pollMs: 1e9, hasRecurring: false } })
    const objects = await mkdtemp(join(tmpdir(), 'grove-import-'))
    const open = await maple.open(server.platform)
    const { db } = open
    const context = {
      ...open,
      objects: await openFolderObjects(objects),
      jobs: createJobQueue<MapleJobs>(
        { db: server.platform.db, schema: 'maple', passedMs: () => 0 },
        mapleJobs,
        {
          secret: async () => '',
          nudge: () => {},
        },
      ),
    }
    const { rows: names } = await sql<{ name: string }>`select current_database() as name`.execute(
      db,
    )
    const url = Object.assign(new URL(inject('postgresUrl')), {
      pathname: `/${names[0]?.name}`,
    }).href
    const origin = { requestId: '', ip: '', userAgent: '' }
    const actor = { id: 'admin', roles: ['ADMIN'], sessionId: undefined, origin }
    const lines = Array.from({ length: rowCount }, (_, at) =>
      at % 50 === 7 ? `bad id ${at},x` : `KILL-${at},Device ${at}`,
    )
    const file = {
      fileName: 'fleet.csv',
      stream: Readable.from([Buffer.from(`id,name\n${lines.join('\n')}\n`)]),
      assertComplete: async () => {},
    }
    const wrong = lines.filter((line) => line.startsWith('bad')).length
    const counts = { created: rowCount - wrong, changed: 0, unchanged: 0, wrong }

    const { id, mapping } = await createImport(context, actor, { file })
    const found = async () =>
      (await queries.findImport(db, id, everything)) ?? expect.fail('It is gone.')
    /**
     * Kills a process whenever it has made progress, until the state is reached; returns how often.
     */
    const untilKilled = async (
      state: string,
      isMoved: (before: number, now: number) => boolean,
    ) => {
      let kills = 0
      for (;;) {
        const before = (await found()).position
        const run = runScript(script, url, '', objects)
        await vi.waitFor(async () => {
          const now = await found()
          expect(now.state === state || isMoved(before, now.position)).toBe(true)
        }, patience)
        if ((await found()).state === state) {
          run.child.kill('SIGKILL')
          await run.exited
          return kills
        }
        run.child.kill('SIGKILL')
        await run.exited
        kills += 1
      }
    }
    await checkImport(context, actor, { id, mapping, existing: 'update' })
    await untilKilled('checked', () => false)
    expect((await found()).checked).toEqual(counts)

    await startImport(context, actor, { id })
    // A few thousand rows before each kill.
    const kills = await untilKilled('completed', (before, now) => now > before + 40_000)
    expect(kills).toBeGreaterThan(1)
    expect((await found()).counts).toEqual(counts)
    const { rows } = await sql<{ devices: number; errors: number; events: number }>`
      select (select count(*) from maple.device where revision = 1) as devices,
        (select count(*) from maple.device_import_error) as errors,
        (select count(*) from maple.event where action = 'device.import') as events`.execute(db)
    expect(rows).toEqual([{ devices: rowCount - wrong, errors: wrong, events: 1 }])
    await server.close()
    await rm(objects, { recursive: true })
  },
  180_000,
)
