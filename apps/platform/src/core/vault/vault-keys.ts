import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readText, type Environment } from '../environment.ts'
import { createOnce, isPredictable } from '../secret.ts'
import { StartupError } from '../startup-error.ts'

/** The keys that wrap the vault's data keys, by version. New data uses the highest. */
export type VaultKeys = ReadonlyMap<number, Buffer>

/** The file in the data folder is created at first use; a configured one must exist. */
export type VaultKeySource = { keys: VaultKeys } | { file: string; isMade: boolean }

const keyBytes = 32
const maxVersion = 32_767

/**
 * @throws StartupError naming the variable; no message repeats a key.
 */
export function readVaultKeySource(env: Environment, dataFolder: string): VaultKeySource {
  // Versions and keys of 32 bytes in hexadecimal, such as `2:9f…,1:04…`; the highest encrypts new
  // data.
  const text = readText(env, 'GROVE_VAULT_KEY')
  // A file with such a list, preferably on another disk than the data; default: `vault-keys` in the
  // data folder. It is read at every use, so an added key counts immediately.
  const file = readText(env, 'GROVE_VAULT_KEY_FILE')
  if (text !== undefined && file !== undefined)
    throw new StartupError('Set GROVE_VAULT_KEY or GROVE_VAULT_KEY_FILE, not both.')
  if (text !== undefined) {
    const keys = parseVaultKeys(text, 'GROVE_VAULT_KEY')
    // Older ones still decrypt what they encrypted.
    if (isPredictable(keys.get(newestOf(keys))))
      throw new StartupError(
        `The vault key ${newestOf(keys)} in GROVE_VAULT_KEY is too easy to guess. Make one with: openssl rand -hex 32. If it is in use, put the new one before it with a higher version.`,
      )
    return { keys }
  }
  return file === undefined
    ? { file: join(dataFolder, 'vault-keys'), isMade: true }
    : { file: resolve(file), isMade: false }
}

/**
 * Processes on one PostgreSQL need the same key, and a file in each data folder would be a different
 * one, lost with its container.
 * @throws StartupError if no setting names the vault key of a production platform on PostgreSQL.
 */
export function requireNamedVaultKey(
  source: VaultKeySource,
  { isProduction, databaseUrl }: { isProduction: boolean; databaseUrl: string | undefined },
): void {
  if (!isProduction || databaseUrl === undefined || !('file' in source) || !source.isMade) return
  throw new StartupError(
    'GROVE_ENV=production with DATABASE_URL needs GROVE_VAULT_KEY or GROVE_VAULT_KEY_FILE, the same in every process: set GROVE_VAULT_KEY_FILE to the file vault-keys that was used so far, or GROVE_VAULT_KEY to 1: and the output of: openssl rand -hex 32',
  )
}

/** @throws StartupError that names the place, never a key. */
export function parseVaultKeys(text: string, place: string): VaultKeys {
  const entries = text
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [, version = '', hex = ''] = /^(\d{1,5}):([\da-f]{64})$/i.exec(entry) ?? []
      const number = Number(version)
      if (hex === '' || number < 1 || number > maxVersion)
        throw new StartupError(
          `${place} must hold versions with keys of ${keyBytes} bytes in hexadecimal, such as 1:<64 digits>. Make a key with: openssl rand -hex 32`,
        )
      return [number, Buffer.from(hex, 'hex')] as const
    })
  const keys = new Map(entries)
  if (keys.size === 0) throw new StartupError(`${place} contains no vault key.`)
  if (keys.size < entries.length)
    throw new StartupError(`${place} gives two vault keys the same version.`)
  return keys
}

/** The text of a file of vault keys, newest first. */
export const vaultKeysText = (keys: VaultKeys): string =>
  [...keys]
    .toSorted(([a], [b]) => b - a)
    .map(([version, key]) => `${version}:${key.toString('hex')}\n`)
    .join('')

export const newestOf = (keys: VaultKeys): number => Math.max(...keys.keys())

/** The current keys. */
export async function readVaultKeys(source: VaultKeySource): Promise<VaultKeys> {
  if ('keys' in source) return source.keys
  const { file, isMade } = source
  if (isMade)
    await createOnce(file, vaultKeysText(new Map([[1, randomBytes(keyBytes)]]))).catch(
      (error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      },
    )
  return parseVaultKeys(await readFile(file, 'utf8'), file)
}
