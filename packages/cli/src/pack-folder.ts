import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join, relative, resolve, sep } from 'node:path'
import { zipSync, type Zippable } from 'fflate'
import { CommandError, exitCodes } from './exit-codes.ts'

export interface Packed {
  bytes: Uint8Array
  fileName: string
  sha256: string
  files: number
}

/** Files that operating systems leave in folders and that are never part of an app. */
const leftOut = /(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini|\.git|node_modules|__MACOSX)(?:\/|$)/
/** Grove accepts packages of 20 MB; larger folders are not even read. */
const maxBytes = 200 * 1024 * 1024

/**
 * Packs a folder deterministically: the same files give the same bytes, so that a second run is
 * recognised. A zip file is sent unchanged.
 */
export async function pack(source: string): Promise<Packed> {
  const info = await stat(source).catch(() => undefined)
  if (!info) throw new CommandError(exitCodes.usage, `There is nothing at ${source}.`)
  if (info.isFile()) {
    const bytes = new Uint8Array(await readFile(source))
    return { bytes, fileName: basename(source), sha256: hashOf(bytes), files: 0 }
  }
  const paths = await listFiles(source)
  if (paths.length === 0)
    throw new CommandError(exitCodes.usage, `There are no files in ${source}. Build the app first.`)
  const files: Zippable = Object.create(null) as Zippable
  let total = 0
  for (const path of paths) {
    const content = new Uint8Array(await readFile(join(source, path)))
    total += content.length
    if (total > maxBytes)
      throw new CommandError(
        exitCodes.usage,
        `The files in ${source} have more than ${maxBytes / 1024 / 1024} MB. Is it the folder that was built?`,
      )
    files[path] = [content, { level: 9 }]
  }
  // The earliest date of the zip format, in local time as zip uses it.
  const bytes = zipSync(files, { mtime: new Date(1980, 0, 1) })
  const fileName = `${basename(resolve(source))}.zip`
  return { bytes, fileName, sha256: hashOf(bytes), files: paths.length }
}

/** Paths with slashes, sorted independently of the file system. Symbolic links are not followed. */
async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !leftOut.test(path))
    .toSorted((a, b) => (a < b ? -1 : 1))
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
