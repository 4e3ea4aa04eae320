import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { auth } from '../../services/auth/index.ts'
import type { Database } from '../database/database.ts'
import { openFolderObjects } from '../objects/folder-objects.ts'
import { migrationsOf } from '../service.ts'
import { testDatabase } from '../testing/test-database.ts'
import { sinceLastBackup, withoutBackup } from './backup-log.ts'
import { verifyBackup } from './restore-backup.ts'
import { makeIfDue, type BackupPlan } from './schedule.ts'

const secret = 'a'.repeat(64)
const hourMs = 3_600_000

let root: string
let database: Database
let source: Parameters<typeof makeIfDue>[0]
let plan: BackupPlan
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'grove-schedule-'))
  database = await testDatabase(migrationsOf([auth]))
  const objects = await openFolderObjects(join(root, 'objects'))
  source = { database, objects, config: { dataFolder: root, secret } }
  plan = { folder: join(root, 'backups'), everyMs: 24 * hourMs, keep: 2 }
}, 60_000)
afterAll(async () => {
  await database.close()
  await rm(root, { recursive: true })
})

const files = () => readdir(plan.folder)
const later = () =>
  sql`update grove.backup set made_at = made_at - interval '25 hours'`.execute(database.db)

test('the first backup is made immediately, the next when it is due, by one of two processes that check', async () => {
  expect(await sinceLastBackup(database.db)).toBeUndefined()
  expect(await withoutBackup(database.db)).toBeGreaterThan(0)
  // The embedded database has one process, which checks once at a time.
  const looks = database.engine === 'pglite' ? 1 : 2
  const made = await Promise.all(Array.from({ length: looks }, () => makeIfDue(source, plan)))
  const [file, ...others] = made.filter((each) => each !== undefined)
  expect(others).toEqual([])
  expect(await files()).toHaveLength(1)
  expect(await verifyBackup(file ?? '', secret)).toMatchObject({ isKeyed: true })
  expect(await makeIfDue(source, plan)).toBeUndefined()
  await later()
  expect(await withoutBackup(database.db)).toBeGreaterThan(24 * 3600)
  expect(await makeIfDue(source, plan)).toBeDefined()
  expect(await withoutBackup(database.db)).toBeLessThan(3600)
})

test('the newest stay, along with other files, and nothing remains of an interrupted one', async () => {
  await writeFile(join(plan.folder, 'notes.txt'), '')
  await writeFile(join(plan.folder, 'grove-2026-01-01T00-00-00-000Z.backup.part'), '')
  const made: (string | undefined)[] = []
  for (let turn = 0; turn < 3; turn += 1) {
    await later()
    made.push(await makeIfDue(source, plan))
  }
  const kept = made.slice(1).map((file) => (file ?? '').slice(plan.folder.length + 1))
  expect((await files()).toSorted()).toEqual([...kept, 'notes.txt'].toSorted())
})

test('a failed one does not count, and leaves nothing', async () => {
  await later()
  const before = await files()
  const ending = new AbortController()
  ending.abort()
  await expect(makeIfDue(source, plan, ending.signal)).rejects.toThrow()
  await writeFile(join(root, 'file'), '')
  const nowhere = { ...plan, folder: join(root, 'file') }
  await expect(makeIfDue(source, nowhere)).rejects.toMatchObject({ code: 'EEXIST' })
  expect(await files()).toEqual(before)
  expect(await withoutBackup(database.db)).toBeGreaterThan(24 * 3600)
})
