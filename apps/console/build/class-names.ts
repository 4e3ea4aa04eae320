import { createHash } from 'node:crypto'
import { join, relative } from 'node:path'

const source = join(import.meta.dirname, '../src')

/** The name in the page of a class of a `*.module.css`, given its path below `src`. */
export function scopedName(name: string, file: string): string {
  const path = relative(source, file.split('?')[0] ?? '').replaceAll('\\', '/')
  return `${name}_${createHash('sha256').update(path).digest('base64url').slice(0, 6)}`
}

/** The same for code that writes markup itself. */
export const classOf = (path: string, name: string) => scopedName(name, join(source, path))
