import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { sql, type QueryExecutorProvider } from 'kysely'
import type { Db } from '../database/database.ts'
import { StartupError } from '../startup-error.ts'
import { readVaultKeys, type VaultKeys, type VaultKeySource } from './vault-keys.ts'

/**
 * The keys that may encrypt: those registered in the database. A key added to a running process's
 * file is registered first; until then the previous key is used.
 */
export type AcceptedKeys = (keys: VaultKeys) => VaultKeys

/** Identifies a key without revealing it: 32 random bytes are behind it. */
export const fingerprintOf = (key: Uint8Array): string =>
  createHash('sha256').update('grove vault key').update(key).digest('hex').slice(0, 32)

const remedy =
  'Set GROVE_VAULT_KEY or GROVE_VAULT_KEY_FILE as the other processes of this database have it, or put the file of vault keys back.'

interface Start {
  source: VaultKeySource
  /** Versions of keys in use. */
  sealedBy: (tx: Db) => Promise<readonly number[]>
  /** Whether a key decrypts something that its version encrypted. */
  opens: (tx: Db, version: number, key: Buffer) => Promise<boolean>
  /** No other process has the database, so an unused key belongs to nobody. */
  isAlone: boolean
}

/**
 * Registers this process's vault keys with the database. The first process creates a key if no
 * setting names one; any later one must have the newest key, and no different one under a registered
 * version.
 * @throws StartupError that names the version, never a key.
 */
export async function registerVaultKeys(
  db: Db,
  { source, sealedBy, opens, isAlone }: Start,
): Promise<AcceptedKeys> {
  const known = await db.transaction().execute(async (tx) => {
    // Of processes that start at once on an empty database, one creates a key.
    await sql`lock table platform.vault_key in exclusive mode`.execute(tx)
    const before = await readRegister(tx)
    // Checked for a single-process database, which is small, and for one from before keys were
    // registered.
    const sealing = isAlone || before.size === 0 ? await sealedBy(tx) : [...before.keys()]
    for (const version of before.keys())
      if (!sealing.includes(version))
        await sql`delete from platform.vault_key where version = ${version}`.execute(tx)
    const registered = await readRegister(tx)
    const needed = sealing.filter((version) => registered.get(version)?.isLost !== true)
    const newest = Math.max(0, ...needed)
    // Where the file would be created, it must not be created twice.
    if (newest > 0 && 'file' in source && source.isMade && !(await isThere(source.file)))
      throw missing(newest)
    const keys = await read(source)
    for (const [version, key] of keys) {
      const fingerprint = fingerprintOf(key)
      const other = registered.get(version)
      if (other && !other.isLost && other.fingerprint !== fingerprint)
        throw another(version, fingerprint, other.fingerprint)
      // Only the data that it encrypted identifies the key.
      if (!other && sealing.includes(version) && !(await opens(tx, version, key)))
        throw opensNothing(version, fingerprint)
    }
    if (newest > 0 && !keys.has(newest)) throw missing(newest)
    for (const [version, key] of keys) await register(tx, version, fingerprintOf(key))
    return fingerprintsOf(await readRegister(tx))
  })
  const asked = new Set<string>()
  const learn = async (version: number, fingerprint: string) => {
    await register(db, version, fingerprint)
    for (const [each, other] of fingerprintsOf(await readRegister(db))) known.set(each, other)
  }
  return (keys) => {
    for (const [version, key] of keys) {
      const fingerprint = fingerprintOf(key)
      if (known.has(version) || asked.has(fingerprint)) continue
      // Not awaited: the caller may be in a transaction that has the only connection.
      asked.add(fingerprint)
      void learn(version, fingerprint).catch(() => asked.delete(fingerprint))
    }
    return new Map([...keys].filter(([version, key]) => known.get(version) === fingerprintOf(key)))
  }
}

/** Forgets a lost key, so that a platform starts without it. */
export async function forgetVaultKey(db: QueryExecutorProvider, version: number): Promise<void> {
  await sql`
    insert into platform.vault_key (version, fingerprint, is_lost) values (${version}, '', true)
    on conflict (version) do update set is_lost = true`.execute(db)
}

interface Registered {
  fingerprint: string
  isLost: boolean
}

export async function readRegister(db: QueryExecutorProvider): Promise<Map<number, Registered>> {
  const { rows } = await sql<Registered & { version: number }>`
    select version, fingerprint, is_lost as "isLost" from platform.vault_key`.execute(db)
  return new Map(rows.map(({ version, ...known }) => [version, known]))
}

const fingerprintsOf = (known: Map<number, Registered>): Map<number, string> =>
  new Map(
    [...known]
      .filter(([, { isLost }]) => !isLost)
      .map(([version, { fingerprint }]) => [version, fingerprint]),
  )

/** Registers a key under its version, unless another one has it that is not lost. */
const register = (db: Db, version: number, fingerprint: string) =>
  sql`insert into platform.vault_key as known (version, fingerprint)
    values (${version}, ${fingerprint})
    on conflict (version) do update set fingerprint = excluded.fingerprint, is_lost = false
    where known.is_lost`.execute(db)

const isThere = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  )

const read = (source: VaultKeySource): Promise<VaultKeys> =>
  readVaultKeys(source).catch((cause: unknown) => {
    if (cause instanceof StartupError || !('file' in source)) throw cause
    throw new StartupError(
      `The vault keys in ${source.file} cannot be read (${(cause as NodeJS.ErrnoException).code}). Put the file back, or set GROVE_VAULT_KEY_FILE to where it is.`,
      { cause },
    )
  })

const missing = (version: number) =>
  new StartupError(
    `This database is sealed with vault key ${version}, which this process does not have. ${remedy} If the key is lost, docs/keys.md says what to do.`,
  )

const another = (version: number, mine: string, theirs: string) =>
  new StartupError(
    `Vault key ${version} of this process (fingerprint ${mine.slice(0, 8)}) is not the one that this database is sealed with (${theirs.slice(0, 8)}). ${remedy}`,
  )

const opensNothing = (version: number, mine: string) =>
  new StartupError(
    `Vault key ${version} of this process (fingerprint ${mine.slice(0, 8)}) opens nothing that this database has sealed with vault key ${version}. ${remedy} If the key is lost, docs/keys.md says what to do.`,
  )
