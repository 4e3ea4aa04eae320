import type { ArchiveDraft } from './archive-draft.ts'
import { isBomb } from './archive-entries.ts'
import { readContent, type Content, type PackedFile } from './entry-content.ts'
import { decodeName } from './entry-name.ts'
import type { PackageFile } from './package-file.ts'
import type { PackageLimits } from './package-limits.ts'

/** The content of files according to their local headers, before the central directory arrived. */
export type ContentAhead = Map<number, { packed: PackedFile; content: Content }>

const localHeaderBytes = 30
const localSignature = 0x04034b50
const encryptedOrOpen = 0x0001 | 0x0008 | 0x0040 | 0x2000

/**
 * Inflates the files of an archive during the upload. The central directory comes last, so nothing
 * here is a finding: `contentOf` uses a result only if the directory describes the file identically.
 * Stops if a local header lacks the file's length or exceeds a limit.
 */
export async function readContentAhead(
  file: PackageFile,
  limits: PackageLimits,
  /** Receives the files too, without folders. */
  draft?: ArchiveDraft,
): Promise<ContentAhead> {
  const ahead: ContentAhead = new Map()
  const paths = new Set<string>()
  let inflated = 0
  let at = 0
  while (ahead.size < limits.files) {
    const packed = await readLocalHeader(file, at)
    if (!packed) break
    inflated += packed.bytes
    const isWithin =
      // One of each kind: cached manifests must not add up.
      !paths.has(packed.path) &&
      packed.bytes <= limits.fileBytes &&
      inflated <= limits.inflatedBytes &&
      packed.start + packed.packedBytes <= limits.zipBytes &&
      !isBomb(packed.bytes, packed.packedBytes, limits)
    if (!isWithin) break
    const drafted = packed.path.endsWith('/') ? undefined : draft
    drafted?.begin(packed)
    const content = await readContent(file, packed, drafted?.write)
    if (content.isCorrupt) break
    ahead.set(packed.start, { packed, content })
    paths.add(packed.path)
    at = packed.start + packed.packedBytes
  }
  return ahead
}

async function readLocalHeader(file: PackageFile, at: number): Promise<PackedFile | null> {
  const header = Buffer.alloc(localHeaderBytes)
  if (!(await file.until(at + localHeaderBytes))) return null
  file.read(header, at)
  const method = header.readUInt16LE(8)
  const isPlain =
    header.readUInt32LE(0) === localSignature &&
    (header.readUInt16LE(6) & encryptedOrOpen) === 0 &&
    (method === 0 || method === 8)
  if (!isPlain) return null
  const name = Buffer.alloc(header.readUInt16LE(26))
  const start = at + localHeaderBytes + name.length + header.readUInt16LE(28)
  if (!(await file.until(start))) return null
  file.read(name, at + localHeaderBytes)
  const path = decodeName(name)?.replaceAll('\\', '/')
  if (path === undefined) return null
  const [packedBytes, bytes] = [header.readUInt32LE(18), header.readUInt32LE(22)]
  if (method === 0 && packedBytes !== bytes) return null
  return { path, method, start, packedBytes, bytes, checksum: header.readUInt32LE(14) }
}

/**
 * The content of a file: from the upload if that covered exactly the same bytes, otherwise read now.
 */
export async function contentOf(
  file: PackageFile,
  packed: PackedFile,
  ahead: ContentAhead | undefined,
): Promise<Content> {
  const found = ahead?.get(packed.start)
  const isSame =
    found?.packed.path === packed.path &&
    found.packed.method === packed.method &&
    found.packed.packedBytes === packed.packedBytes &&
    found.packed.bytes === packed.bytes
  return found && isSame ? found.content : readContent(file, packed)
}
