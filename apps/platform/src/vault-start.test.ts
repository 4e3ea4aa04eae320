import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { newCard } from '@grove/secure-element/card/card-state'
import { openDatabase, type Database } from './core/database/database.ts'
import { migrate } from './core/database/migrate.ts'
import { migrationsOf } from './core/service.ts'
import { startPlatform, type PlatformProcess } from './core/testing/platform-process.ts'
import { testDatabase } from './core/testing/test-database.ts'
import { openVault } from './core/vault/vault.ts'
import { parseVaultKeys } from './core/vault/vault-keys.ts'
import { forgetVaultKey, registerVaultKeys } from './core/vault/vault-register.ts'
import { auth } from './services/auth/index.ts'
import { maple } from './services/maple/index.ts'
import { addKeySet } from './services/maple/card/key/key-source.ts'
import { opensSealed } from './services/maple/card/key/rewrap.ts'
import { vaultProvider } from './services/maple/card/key/vault-provider.ts'
import { sealCard } from './services/maple/card/software-card/card-keys.ts'
import type { MapleTables } from './services/maple/base/tables.ts'

const secret = randomBytes(32).toString('hex')
const keyOf = (version: number) => `${version}:${randomBytes(32).toString('hex')}`

// The embedded database has only one process.
describe.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')('starts on one database', () => {
  let database: Database
  let env: Record<string, string>
  const ends: (() => Promise<void>)[] = []

  beforeEach(async () => {
    await endAll()
    database = await testDatabase(migrationsOf([auth, maple]))
    ends.push(database.close)
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(
      database.db,
    )
    const url = new URL(inject('postgresUrl'))
    env = {
      DATABASE_URL: Object.assign(url, { pathname: rows[0]?.name }).href,
      GROVE_SERVICES: 'auth,maple',
      GROVE_SECRET: secret,
    }
  }, 60_000)
  afterAll(() => endAll())

  async function endAll() {
    for (const end of ends.splice(0).toReversed()) await end()
  }

  async function start(more: Record<string, string> = {}): Promise<PlatformProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'grove-start-'))
    ends.push(() => rm(folder, { recursive: true, force: true }))
    const started = await startPlatform({ ...env, GROVE_DATA: folder, ...more })
    ends.push(started.stop)
    return started
  }
  const refusal = (more: Record<string, string> = {}): Promise<string> =>
    start(more).then(
      () => 'started',
      (error: Error) => error.message,
    )
  const versions = async () =>
    (
      await sql<{ version: number }>`select version from platform.vault_key order by 1`.execute(
        database.db,
      )
    ).rows.map(({ version }) => version)

  test('in production a start without a named vault key is refused, and creates none', async () => {
    const production = {
      GROVE_ENV: 'production',
      GROVE_CONSOLE_URL: 'https://grove.example.com',
    }
    const said = await refusal(production)
    expect(said).toMatch(
      /ended with 1:\n\{.*"GROVE_ENV=production with DATABASE_URL needs .*"\}\n$/,
    )
    expect(said).toContain('GROVE_VAULT_KEY_FILE')
    expect(await versions()).toEqual([])
    await start({ ...production, GROVE_VAULT_KEY: keyOf(1) })
    expect(await versions()).toEqual([1])
  }, 300_000)

  test('a second process with another key for a version is refused, and one with the same is not', async () => {
    const [one, other, two] = [keyOf(1), keyOf(1), keyOf(2)]
    await start({ GROVE_VAULT_KEY: one })
    const said = await refusal({ GROVE_VAULT_KEY: other })
    expect(said).toMatch(/ended with 1:\nVault key 1 of this process \(fingerprint .*\n$/)
    expect(said).not.toContain(other.slice(2))
    // An added key is needed from then on.
    await start({ GROVE_VAULT_KEY: `${two},${one}` })
    expect(await refusal({ GROVE_VAULT_KEY: one })).toContain('is sealed with vault key 2')
    expect(await versions()).toEqual([1, 2])
  }, 300_000)

  test('of processes that start together on an empty database, one creates a key', async () => {
    const folders = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'grove-keys-'))))
    for (const folder of folders) ends.unshift(() => rm(folder, { recursive: true, force: true }))
    const answers = await Promise.all(folders.map((GROVE_DATA) => refusal({ GROVE_DATA })))
    expect(answers.filter((said) => said === 'started')).toHaveLength(1)
    for (const said of answers.filter((each) => each !== 'started'))
      expect(said).toMatch(/ended with 1:\nThis database is sealed with vault key 1, which .*\n$/)
    const files = await Promise.all(
      folders.map((folder) => readFile(join(folder, 'vault-keys'), 'utf8').catch(() => null)),
    )
    const made = files.filter((file) => file !== null)
    expect(made).toHaveLength(1)
  }, 300_000)

  test('a filled database without known keys accepts only one that opens its secrets', async () => {
    const [one, other] = [keyOf(1), keyOf(1)]
    await fill(database, one)
    const said = await refusal({ GROVE_VAULT_KEY: other })
    expect(said).toMatch(
      /ended with 1:\nVault key 1 of this process \(fingerprint .{8}\) opens nothing that this .*\n$/,
    )
    expect(said).not.toContain(other.slice(2))
    expect(await versions()).toEqual([])
    await start({ GROVE_VAULT_KEY: one })
    expect(await versions()).toEqual([1])
  }, 300_000)
})

/** Something encrypted by version 1 of a vault key. */
async function fill({ db: anyDb }: Database, key: string): Promise<void> {
  const db = anyDb.withTables<MapleTables>()
  const cplc = randomBytes(42).toString('hex').toUpperCase()
  await sql`insert into maple.element (cplc) values (${cplc})`.execute(db)
  const keys = {
    vault: vaultProvider(openVault({ keys: parseVaultKeys(key, 'a test') })),
    hsm: null,
  }
  const value = new Uint8Array(16).fill(0x5a)
  const set = { enc: value, mac: value, dek: value }
  await addKeySet({ keys }, db, {
    cplc,
    version: 48,
    protocol: 'SCP03',
    keys: set,
    origin: 'imported',
  })
}

test.each(['key_set', 'software_card', 'handler_secret'] as const)(
  'a key is recognised by what it encrypted in maple.%s, and another one is refused',
  async (table) => {
    const database = await testDatabase(migrationsOf([maple]))
    const db = database.db.withTables<MapleTables>()
    const [one, other] = [randomBytes(32), randomBytes(32)]
    const vault = vaultProvider(openVault({ keys: new Map([[1, one]]) }))
    try {
      if (table === 'key_set') await fill(database, `1:${one.toString('hex')}`)
      if (table === 'software_card') {
        const { state, sealed } = await sealCard(vault, newCard({ seed: 'sealed' }))
        await sql`insert into maple.element (cplc) values (${state.cplc})`.execute(db)
        await sql`
          insert into maple.software_card (cplc, state, key_id, vault_key, wrapped_key, sealed_keys)
          values (${state.cplc}, ${JSON.stringify(state)}::jsonb, ${sealed?.keyId}, 1,
            decode(${sealed?.wrappedKey}, 'hex'), decode(${sealed?.body}, 'hex'))`.execute(db)
      }
      if (table === 'handler_secret') {
        const id = randomUUID()
        const { wrappedKey, body } = await vault.keepText(id, 'secret')
        await sql`
          with handler as (
            insert into maple.cloud_handler (name, name_key, draft, draft_sha256, hook_key)
            values ('x', 'x', '{}', '', 'x') returning id)
          insert into maple.handler_secret (id, handler_id, name, vault_key, wrapped_key, sealed_text)
          select ${id}, id, 'x', 1, ${wrappedKey}, ${body} from handler`.execute(db)
      }
      expect([
        await opensSealed(db, 1, one),
        await opensSealed(db, 1, other),
        await opensSealed(db, 2, one),
      ]).toEqual([true, false, false])
    } finally {
      await database.close()
    }
  },
  60_000,
)

test('a lost key is forgotten for good, and another one takes its version once', async () => {
  const database = await testDatabase(migrationsOf([]))
  const { db } = database
  const start = (key: Buffer, isAlone: boolean, version = 1) =>
    registerVaultKeys(db, {
      source: { keys: new Map([[version, key]]) },
      isAlone,
      sealedBy: async () => [1],
      opens: async () => false,
    })
  const [one, two, three] = [randomBytes(32), randomBytes(32), randomBytes(32)]
  try {
    await expect(start(one, false)).rejects.toThrow('opens nothing')
    await expect(start(one, true, 2)).rejects.toThrow('is sealed with vault key 1')
    await forgetVaultKey(db, 1)
    for (const isAlone of [true, false]) await start(three, isAlone, 2)
    const accepted = await start(two, true)
    expect([...accepted(new Map([[1, two]])).keys()]).toEqual([1])
    await expect(start(one, false)).rejects.toThrow('is not the one')
  } finally {
    await database.close()
  }
}, 60_000)

test('an embedded database without its file of vault keys starts while they encrypt nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'grove-alone-'))
  const database = await openDatabase({ folder })
  const keysFile = join(folder, 'vault-keys')
  const source = { file: keysFile, isMade: true }
  const start = (sealing: readonly number[]) =>
    registerVaultKeys(database.db, {
      source,
      isAlone: true,
      sealedBy: async () => sealing,
      opens: async () => true,
    })
  try {
    await migrate(database.db, migrationsOf([]))
    await start([])
    const first = await readFile(keysFile, 'utf8')
    await rm(keysFile)
    await expect(start([1])).rejects.toThrow('This database is sealed with vault key 1')
    await expect(readFile(keysFile)).rejects.toThrow('ENOENT')
    await start([])
    expect(await readFile(keysFile, 'utf8')).not.toBe(first)
    await rm(keysFile)
    await forgetVaultKey(database.db, 1)
    await start([1])
    // A key added while the platform runs encrypts once the database knows it.
    const accepted = await start([1])
    const [one, two] = [
      ...parseVaultKeys(`${keyOf(2)},${await readFile(keysFile, 'utf8')}`, 'test'),
    ]
    if (!one || !two) throw new Error('There are two.')
    const keys = new Map([one, two])
    expect([...accepted(keys).keys()]).toEqual([1])
    await vi.waitFor(() => expect([...accepted(keys).keys()]).toEqual([2, 1]))
    expect(accepted(new Map([[1, randomBytes(32)]])).size).toBe(0)
  } finally {
    await database.close()
    await rm(folder, { recursive: true, force: true })
  }
}, 60_000)
