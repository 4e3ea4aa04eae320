import { renameSync } from 'node:fs'
import type { PackedFile } from './entry-content.ts'
import { archiveEnd, archivedBytes, localHeader } from './write-archive.ts'
import { openHashedFile, type HashedFile, type Written } from './write-hashed.ts'

/**
 * The new archive of a package, written while the upload arrives, in the order of its bytes and
 * according to the local headers. It is used only if the central directory says the same.
 */
export interface ArchiveDraft {
  /** The packed bytes of this file follow. */
  begin: (file: PackedFile) => void
  write: (chunk: Buffer) => void
  /**
   * Moves the archive to its place; undefined, without leaving anything, if it does not consist of
   * these files.
   */
  finish: (files: readonly PackedFile[], target: string) => Written | undefined
  discard: () => void
}

export function createArchiveDraft(path: string): ArchiveDraft {
  const drafted: PackedFile[] = []
  let output: HashedFile | undefined
  const isOf = (files: readonly PackedFile[]) =>
    files.length === drafted.length &&
    files.every((file, at) => isSame(file, drafted[at])) &&
    // Reading a file may have failed halfway.
    output?.bytes() === files.reduce((sum, file) => sum + archivedBytes(file), 0)
  const draft: ArchiveDraft = {
    begin: (file) => {
      output ??= openHashedFile(path)
      drafted.push(file)
      output.write(localHeader(file))
    },
    write: (chunk) => output?.write(chunk),
    finish: (files, target) => {
      if (!output || !isOf(files)) {
        draft.discard()
        return undefined
      }
      output.write(archiveEnd(files))
      const written = output.end()
      renameSync(path, target)
      return written
    },
    discard: () => output?.discard(),
  }
  return draft
}

function isSame(one: PackedFile, other: PackedFile | undefined): boolean {
  return (
    other !== undefined &&
    one.path === other.path &&
    one.method === other.method &&
    one.start === other.start &&
    one.packedBytes === other.packedBytes &&
    one.bytes === other.bytes &&
    one.checksum === other.checksum
  )
}
