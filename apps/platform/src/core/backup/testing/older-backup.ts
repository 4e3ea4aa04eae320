import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'

/** A backup as written by versions that never keyed their hashes. */
export function olderBackup(entries: Readonly<Record<string, string | Buffer>>): Buffer {
  const parts = Object.entries(entries).flatMap(([name, given]) => {
    const content = Buffer.from(given)
    const hash = createHash('sha256').update(content).digest()
    const head = Buffer.from(`${JSON.stringify({ name })}\n`)
    return content.length === 0
      ? [head, lengthOf(0), hash]
      : [head, lengthOf(content.length), content, lengthOf(0), hash]
  })
  const end = Buffer.from(`${JSON.stringify({ end: Object.keys(entries).length })}\n`)
  return gzipSync(Buffer.concat([Buffer.from('GROVE-BACKUP 1\n'), ...parts, end]))
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes)
  return length
}
