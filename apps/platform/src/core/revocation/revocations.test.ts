import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Database } from '../database/database.ts'
import type { AccessToken } from '../http/access.ts'
import { migrationsOf } from '../service.ts'
import { testDatabase } from '../testing/test-database.ts'
import { openRevocations, type Revocation, type Revocations } from './revocations.ts'

let database: Database
let revocations: Revocations
beforeAll(async () => {
  database = await testDatabase(migrationsOf([]))
  revocations = await openRevocations(database)
})
afterAll(async () => {
  revocations.close()
  await database.close()
})
const isPostgres = process.env['GROVE_TEST_ENGINE'] === 'postgres'

const token = (more: Partial<AccessToken>): AccessToken => ({
  userId: 'anna',
  realm: 'grove',
  roles: ['DEVELOPER'],
  sessionId: undefined,
  issuedAt: Date.now() - 1000,
  expiresAt: Date.now() + 600_000,
  ...more,
})
const revoke = (kind: Revocation['kind'], subject: string, db = database.db) =>
  sql`select platform.revoke(${kind}, ${subject})`.execute(db)
const waiting = { timeout: 10_000, interval: 10 }

test('an ended session is known here, and to a process that starts later', async () => {
  const { isRevoked } = revocations
  const of = (sessionId: string) => token({ sessionId })
  expect(isRevoked(of('one'))).toBe(false)
  await revoke('session', 'one')
  await vi.waitFor(() => expect(isRevoked(of('one'))).toBe(true), waiting)
  expect([isRevoked(of('two')), isRevoked(token({}))]).toEqual([false, false])
  const later = await openRevocations(database)
  expect(later.isRevoked(of('one'))).toBe(true)
  later.close()
})

test('a removed role is only in older tokens', async () => {
  const { isRevoked } = revocations
  const admin = { roles: ['DEVELOPER', 'ADMIN'] }
  const older = token(admin)
  await revoke('role', 'anna ADMIN')
  await vi.waitFor(() => expect(isRevoked(older)).toBe(true), waiting)
  expect(isRevoked(token({}))).toBe(false)
  expect(isRevoked(token({ ...admin, userId: 'boris' }))).toBe(false)
  expect(isRevoked(token({ ...admin, issuedAt: Date.now() + 60_000 }))).toBe(false)
})

test('a rolled-back change revokes nothing, and its listener hears of others once', async () => {
  const lost: string[] = []
  const stop = revocations.onceLost(['tides', 'session 3'], () => lost.push('tides'))
  const broken = database.db.transaction().execute(async (tx) => {
    await revoke('grant', 'tides', tx)
    throw new Error('taken back')
  })
  await expect(broken).rejects.toThrow('taken back')
  await revoke('grant', 'elsewhere')
  const heard: string[] = []
  const end = revocations.on(({ subject }) => heard.push(subject))
  await revoke('grant', 'marker')
  await vi.waitFor(() => expect(heard).toContain('marker'), waiting)
  expect(lost).toEqual([])
  await revoke('member', 'tides of-a-provider')
  await revoke('grant', 'tides')
  await revoke('grant', 'last')
  await vi.waitFor(() => expect(heard).toContain('last'), waiting)
  expect(lost).toEqual(['tides'])
  end()
  stop()
})

// Two concurrent transactions: the embedded database has one.
test.runIf(isPostgres)('a revocation that commits after later ones is not missed', async () => {
  const { isRevoked } = revocations
  let commit = () => {}
  const held = new Promise<void>((resolve) => (commit = resolve))
  const slow = database.db.transaction().execute(async (tx) => {
    await revoke('session', 'slow', tx)
    await held
  })
  const quick: string[] = []
  const end = revocations.on(({ subject }) => quick.push(subject))
  await vi.waitFor(async () => {
    await revoke('session', 'quick')
    expect(quick).toContain('quick')
  }, waiting)
  expect(isRevoked(token({ sessionId: 'slow' }))).toBe(false)
  commit()
  await slow
  await vi.waitFor(() => expect(isRevoked(token({ sessionId: 'slow' }))).toBe(true), waiting)
  end()
})
