import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { BackupContent } from './backup-file.ts'
import { verifyBackup } from './restore-backup.ts'

/** Ends the name of an incomplete file. */
export const unfinished = '.part'

interface Kept {
  file: string
  content: Readable
  secret: string | undefined
  signal?: AbortSignal
}

/** Writes a backup under a temporary name, verifies it and renames it. */
export async function keepBackup({ file, content, secret, signal }: Kept): Promise<BackupContent> {
  const part = `${file}${unfinished}`
  try {
    const target = createWriteStream(part, { mode: 0o600, flush: true })
    await pipeline(content, target, { ...(signal && { signal }) })
    const verified = await verifyBackup(part, secret)
    await rename(part, file)
    return verified
  } finally {
    await rm(part, { force: true })
  }
}

export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}
