import type { FileChange, ManifestChange, Permission } from '@grove/contract/cedar/difference'
import type { IndexedFile } from '../package/index-package.ts'

type File = Pick<IndexedFile, 'path' | 'bytes' | 'sha256'>

export interface FilesDifference {
  files: FileChange[]
  unchanged: number
}

/**
 * The changes between two packages, by path. A file is identified by its path, then by its content:
 * the same content at another path was moved. That does not apply to empty files.
 */
export function filesDifference(before: readonly File[], after: readonly File[]): FilesDifference {
  const was = new Map(before.map((file) => [file.path, file]))
  const is = new Map(after.map((file) => [file.path, file]))
  const gone = new Map<string, File[]>()
  for (const file of before)
    if (!is.has(file.path) && file.bytes > 0)
      gone.set(file.sha256, [...(gone.get(file.sha256) ?? []), file])
  const moved = new Set<File>()
  const files: FileChange[] = []
  let unchanged = 0
  for (const file of after) {
    const old = was.get(file.path)
    if (old?.sha256 === file.sha256) unchanged += 1
    else if (old) files.push(change('changed', old, file))
    else {
      const from = takeLike(gone.get(file.sha256), file.path)
      if (from) moved.add(from)
      files.push(from ? change('moved', from, file) : change('added', null, file))
    }
  }
  for (const file of before)
    if (!is.has(file.path) && !moved.has(file)) files.push(change('removed', file, null))
  files.sort((a, b) => (a.path < b.path ? -1 : 1))
  return { files, unchanged }
}

/** Among files with the same content, the one with the same name, otherwise the first. */
function takeLike(candidates: File[] | undefined, path: string): File | undefined {
  if (!candidates) return undefined
  const sameName = candidates.findIndex((file) => nameOf(file.path) === nameOf(path))
  const [found] = candidates.splice(Math.max(0, sameName), 1)
  return found
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

const facts = (file: File | null) => file && { bytes: file.bytes, sha256: file.sha256 }

const change = (kind: FileChange['kind'], before: File | null, after: File | null): FileChange => ({
  kind,
  path: (after ?? before)?.path ?? '',
  from: kind === 'moved' ? (before?.path ?? null) : null,
  before: facts(before),
  after: facts(after),
})

/** The permissions in a manifest, by their names in both profiles. */
export function permissionsOf(manifest: unknown): Permission[] {
  const { req_permissions, reqPermissions, optPermissions } = Object(manifest) as Record<
    string,
    unknown
  >
  const found = new Map<string, Permission>()
  const add = (list: unknown, isRequired: boolean) => {
    for (const item of Array.isArray(list) ? (list as unknown[]) : []) {
      const name = typeof item === 'string' ? item : (Object(item) as { name?: unknown }).name
      if (typeof name !== 'string' || name === '' || found.has(name)) continue
      found.set(name, { name, isRequired })
    }
  }
  add(req_permissions, true)
  add(reqPermissions, true)
  add(optPermissions, false)
  return [...found.values()]
}

export function permissionsDifference(before: unknown, after: unknown) {
  const [was, is] = [permissionsOf(before), permissionsOf(after)]
  const isIn = (list: Permission[]) => (one: Permission) =>
    list.some(({ name, isRequired }) => name === one.name && isRequired === one.isRequired)
  return {
    added: is.filter((one) => !isIn(was)(one)),
    removed: was.filter((one) => !isIn(is)(one)),
  }
}

/** A manifest may be large: more differences than this do not help a reader. */
const maxValues = 2000
const maxChanges = 200
const maxValueLength = 200

/** The differing values of two manifests, by path. */
export function manifestDifference(before: unknown, after: unknown): ManifestChange[] {
  const [was, is] = [valuesOf(before), valuesOf(after)]
  const paths = [...new Set([...was.keys(), ...is.keys()])]
  return paths
    .filter((path) => was.get(path) !== is.get(path))
    .slice(0, maxChanges)
    .map((path) => ({ path, before: shown(was.get(path)), after: shown(is.get(path)) }))
}

const shown = (json: string | undefined) =>
  json === undefined
    ? null
    : json.length > maxValueLength
      ? `${json.slice(0, maxValueLength)}…`
      : json

/** Each leaf value, as JSON. */
function valuesOf(manifest: unknown): Map<string, string> {
  const values = new Map<string, string>()
  const visit = (value: unknown, path: string) => {
    if (values.size >= maxValues) return
    if (Array.isArray(value))
      for (const [at, item] of value.entries()) visit(item, `${path}[${at}]`)
    else if (typeof value === 'object' && value !== null)
      for (const [name, item] of Object.entries(value))
        visit(item, path === '' ? name : `${path}.${name}`)
    else values.set(path.slice(0, maxValueLength), JSON.stringify(value))
  }
  if (manifest !== null && manifest !== undefined) visit(manifest, '')
  return values
}
