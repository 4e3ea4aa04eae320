import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase, type Database } from './core/database/database.ts'
import { migrate } from './core/database/migrate.ts'
import { everything } from './core/scope.ts'
import { migrationsOf } from './core/service.ts'
import { programArgs } from './core/testing/run-script.ts'
import { openVault } from './core/vault/vault.ts'
import { parseVaultKeys } from './core/vault/vault-keys.ts'
import { maple } from './services/maple/index.ts'
import { addKeySet } from './services/maple/card/key/key-source.ts'
import { liveSets } from './services/maple/card/key/key.queries.ts'
import { vaultProvider } from './services/maple/card/key/vault-provider.ts'
import { rewrapKeys } from './services/maple/card/key/rewrap.ts'
import { credentialsFor, insertCredential } from './services/maple/card/scp11/scp11.queries.ts'
import type { MapleTables } from './services/maple/base/tables.ts'

const run = promisify(execFile)
let folder: string
let database: Database
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grove-vault-'))
  database = await openDatabase({ folder })
  await migrate(database.db, migrationsOf([maple]))
}, 60_000)
afterAll(async () => {
  await database.close().catch(() => {})
  await rm(folder, { recursive: true, force: true })
})

const one = `1:${'a'.repeat(64)}`
const two = `2:${'b'.repeat(64)}`
const keysOf = (text: string) => ({
  vault: vaultProvider(openVault({ keys: parseVaultKeys(text, 'a test') })),
  hsm: null,
})
const key = new Uint8Array(16).fill(0x5a)

test('an interrupted rewrapping continues, and afterwards needs no old key', async () => {
  const db = database.db.withTables<MapleTables>()
  const cplcs = Array.from({ length: 5 }, () => randomBytes(42).toString('hex').toUpperCase())
  for (const cplc of cplcs) {
    await sql`insert into maple.element (cplc) values (${cplc})`.execute(db)
    const keys = { enc: key, mac: key, dek: key }
    const set = { cplc, version: 48, protocol: 'SCP03', keys, origin: 'imported' } as const
    await addKeySet({ keys: keysOf(one) }, db, set)
  }
  const agreed = randomUUID()
  const sealed = await keysOf(one).vault.keepText(agreed, 'a private key')
  await insertCredential(db, {
    id: agreed,
    serviceId: null,
    name: 'Line 1',
    variant: 'a',
    keyVersion: 1,
    keyLength: 16,
    authorities: [],
    certificates: [],
    authorityVersion: 1,
    authorityKeyId: 16,
    sealed,
    createdBy: 'somebody',
  })
  const { vault } = keysOf(`${two},${one}`)
  let left = 2
  const dying = {
    ...vault,
    rewrap: async (...given: Parameters<typeof vault.rewrap>) => {
      if (left-- === 0) throw new Error('killed')
      return vault.rewrap(...given)
    },
  }
  await expect(rewrapKeys({ db, keys: { vault: dying, hsm: null } })).rejects.toThrow('killed')
  expect(await rewrapKeys({ db, keys: { vault, hsm: null } })).toBe(4)
  expect(await rewrapKeys({ db, keys: { vault, hsm: null } })).toBe(0)
  const greeting = {
    protocol: 'SCP03',
    diversificationData: new Uint8Array(10),
    keyVersion: 48,
    challenge: new Uint8Array(8),
    cryptogram: new Uint8Array(8),
  } as const
  for (const cplc of cplcs) {
    const [set] = await liveSets(db, cplc)
    if (!set) throw new Error('the set is there')
    const made = await keysOf(two).vault.sessionKeys(set, greeting, new Uint8Array(8))
    expect(made.enc).toHaveLength(16)
  }
  const [credential] = await credentialsFor(db, { cplc: cplcs[0] ?? '', scope: everything })
  expect(await keysOf(two).vault.openText(credential?.sealed ?? sealed, agreed)).toBe(
    'a private key',
  )
})

test('the command adds a key, rewraps, shows what each encrypts, and prints no key @long', async () => {
  await writeFile(join(folder, 'vault-keys'), `${two}\n`)
  // Keys in an HSM, according to their row: no vault key encrypts them.
  const { rows } = await sql`
    insert into maple.key_set (id, cplc, version, protocol, algorithm, key_length, state, custody,
      origin, chip_id, hsm_label)
    select gen_random_uuid(), cplc, 99, 'SCP03', 'AES', 16, 'active', 'hsm', 'generated', chip_id,
      'grove-elsewhere'
    from maple.element limit 1 returning id`.execute(database.db)
  expect(rows).toHaveLength(1)
  await database.close()
  const vault = async (command: string): Promise<string> => {
    const script = fileURLToPath(new URL('./vault.ts', import.meta.url))
    const env = { ...process.env, NODE_OPTIONS: '', GROVE_DATA: folder, DATABASE_URL: '' }
    return (await run(process.execPath, programArgs(script, command), { env })).stdout
  }
  const outputs = [
    await vault('add-key'),
    await vault('status'),
    await vault('rewrap'),
    await vault('status'),
  ]
  expect(outputs[1]).toContain('Vault key 2 seals 6 key sets and cards')
  expect(outputs[2]).toContain('6 key sets and cards are re-encrypted')
  for (const output of outputs.slice(1))
    expect(output).toContain('Key sets in an HSM: 1. Vault keys and backups do not cover them.')
  expect(outputs[3]).toContain('Vault key 3 seals 6 key sets and cards, seals what is new')
  const file = await readFile(join(folder, 'vault-keys'), 'utf8')
  for (const output of outputs)
    for (const [, secret] of parseVaultKeys(file, 'the file'))
      expect(output).not.toContain(secret.toString('hex'))
}, 60_000)
