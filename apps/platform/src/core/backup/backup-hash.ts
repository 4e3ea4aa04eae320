import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'
import { readJson } from '../json-depth.ts'
import { StartupError } from '../startup-error.ts'
import { deriveSecret } from '../secret.ts'

/** How a backup's hashes are made, according to the line after its first. */
export interface HashFacts {
  hash: 'sha256' | 'hmac-sha256'
  /** Anyone who can write a file can hash it too, and can read the secret if it is in the file. */
  shows: 'damage' | 'damage and forgery'
  /** Identifies the keying secret without revealing anything about it. */
  keyId?: string
}

export interface BackupHashes {
  facts: HashFacts
  /**
   * Each hash covers the previous one, so that no entry can be omitted, moved or taken from another
   * backup.
   */
  next: (head: string) => Hash | Hmac
  end: (hash: Hash | Hmac) => Buffer
}

/**
 * Keyed with `GROVE_SECRET`, which is in no backup; the data folder's secret is in the backup itself.
 */
export function hashesFor(secret: string | undefined): BackupHashes {
  if (secret === undefined)
    return chained({ hash: 'sha256', shows: 'damage' }, () => createHash('sha256'))
  const key = deriveSecret(secret, 'backup hashes')
  const keyId = deriveSecret(secret, 'backup hashes key id').slice(0, 16)
  return chained({ hash: 'hmac-sha256', shows: 'damage and forgery', keyId }, () =>
    createHmac('sha256', key),
  )
}

/**
 * Parses that line; undefined if it is not ours.
 * @throws StartupError if they are keyed with another secret.
 */
export function readHashes(
  line: string,
  secret: string | undefined,
  file: string,
): BackupHashes | undefined {
  const isKeyed = (readJson(line) as Partial<HashFacts> | null)?.hash === 'hmac-sha256'
  const hashes = hashesFor(isKeyed ? secret : undefined)
  if (JSON.stringify(hashes.facts) === line) return hashes
  if (!isKeyed) return undefined
  throw new StartupError(
    `The hashes of ${file} are keyed with the GROVE_SECRET that it was made with: set GROVE_SECRET to that one.`,
  )
}

/** For backups of earlier versions: each entry separately, without its name. */
export const plainHashes: BackupHashes = {
  facts: { hash: 'sha256', shows: 'damage' },
  next: () => createHash('sha256'),
  end: (hash) => hash.digest(),
}

function chained(facts: HashFacts, create: () => Hash | Hmac): BackupHashes {
  let last = Buffer.from(JSON.stringify(facts))
  return {
    facts,
    next: (head) => create().update(last).update(`\n${head}\n`),
    end: (hash) => (last = hash.digest()),
  }
}
