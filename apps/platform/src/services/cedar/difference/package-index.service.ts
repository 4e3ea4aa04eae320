import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'
import type { CedarContext } from '../context.ts'
import type { IndexedFile, PackageIndex } from '../package/index-package.ts'
import { indexApart } from '../package/package-checker.ts'
import { defaultPackageLimits } from '../package/package-limits.ts'
import { damaged, openObject } from '../storage/objects.service.ts'
import { findPackageIndex, insertPackageIndex } from './difference.queries.ts'

/** The files of a stored package: cached, or read in the packages' thread. */
export async function packageIndexOf(
  context: CedarContext,
  sha256: string,
): Promise<PackageIndex | undefined> {
  const known = await findPackageIndex(context.db, sha256)
  if (known) return known
  const object = await openObject(context, sha256)
  if (!object) return undefined
  // A copy, because the archive needs random access and the store only streams.
  const staged = await context.objects.stage(object.stream)
  try {
    const index = await indexApart(staged.path, defaultPackageLimits)
    await insertPackageIndex(context.db, sha256, index)
    return index
  } finally {
    await staged.discard()
  }
}

const inflate = promisify(inflateRaw)

/** The contents of a package file. @throws ProblemError `file_damaged` if the hash differs. */
export async function readPackedFile(
  context: CedarContext,
  packageSha256: string,
  file: IndexedFile,
): Promise<Buffer> {
  const object = await openObject(context, packageSha256)
  if (!object) throw damaged(packageSha256)
  const parts: Buffer[] = []
  const end = file.start + file.packedBytes
  let at = 0
  for await (const chunk of object.stream as AsyncIterable<Buffer>) {
    const from = Math.max(0, file.start - at)
    const part = chunk.subarray(from, Math.max(from, end - at))
    if (part.length > 0) parts.push(part)
    at += chunk.length
    // The rest of the archive is not needed; the file has its own hash.
    if (at >= end) break
  }
  const packed = Buffer.concat(parts)
  const content = file.isDeflated
    ? await inflate(packed, { maxOutputLength: Math.max(1, file.bytes) }).catch(() => undefined)
    : packed
  if (!content || createHash('sha256').update(content).digest('hex') !== file.sha256)
    throw damaged(packageSha256)
  return content
}
