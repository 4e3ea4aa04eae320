import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** One import statement, resolved to the file that it loads. */
export interface Edge {
  /** Path from the root of the repository. */
  from: string
  /** Likewise, or `npm:name` for an external package. */
  to: string
  isType: boolean
}

/** A part of the code base and what it may import. */
export interface Room {
  /** May contain `$1` and `$2`, captured by `files`. */
  name: string
  files: RegExp
  /**
   * Names of rooms, with the same captures; `type:name` allows only types. A room may import itself.
   */
  imports: readonly string[]
  why: string
}

/** A package that only one room may import. */
export interface GuardedPackage {
  name: RegExp
  room: string
  why: string
}

export interface Walls {
  rooms: readonly Room[]
  guarded: readonly GuardedPackage[]
}

const statement =
  /(?:^|[\n;])\s*(?:import|export)\s+(type\s+)?(?:[^'"`;]*?\sfrom\s+)?['"]([^'"\n]+)['"]|\bimport\(\s*['"]([^'"\n]+)['"]\s*\)/g

/** Every import of a source text, resolved as TypeScript and the bundler do. */
export function edgesOf(root: string, from: string, source: string): Edge[] {
  return [...source.matchAll(statement)].flatMap(([, type, specifier, dynamic]) => {
    const to = resolveSpecifier(root, from, specifier ?? dynamic ?? '')
    return to === undefined ? [] : [{ from, to, isType: type !== undefined }]
  })
}

function resolveSpecifier(root: string, from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.normalize(posix.join(posix.dirname(from), specifier))
  if (specifier.startsWith('node:') || specifier.startsWith('virtual:')) return undefined
  const [scope = '', name = ''] = specifier.split('/')
  if (scope !== '@grove') return `npm:${scope.startsWith('@') ? `${scope}/${name}` : scope}`
  const folder = ['packages', 'apps'].find((parent) => existsSync(join(root, parent, name)))
  const rest = specifier.slice(`@grove/${name}`.length)
  return `${folder ?? 'packages'}/${name}/src${rest === '' ? '/index' : rest}.ts`
}

/** The violations of an import, as sentences; none if it is allowed. */
export function broken({ rooms, guarded }: Walls, { from, to, isType }: Edge): string[] {
  const guard = guarded.find(({ name }) => to.startsWith('npm:') && name.test(to.slice(4)))
  if (guard && roomOf(rooms, from)?.name !== guard.room) return [`${from} → ${to}: ${guard.why}`]
  if (to.startsWith('npm:')) return []
  const source = roomOf(rooms, from)
  const target = roomOf(rooms, to)
  if (!source || !target || source.name === target.name) return []
  const isAllowed = source.imports.some(
    (each) => each === target.name || (isType && each === `type:${target.name}`),
  )
  return isAllowed ? [] : [`${from} → ${to}: ${source.why}`]
}

/** The first room whose files match, with its captures filled in. */
function roomOf(rooms: readonly Room[], path: string) {
  for (const room of rooms) {
    const match = room.files.exec(path)
    if (!match) continue
    const fill = (text: string) =>
      text.replaceAll(/\$(\d)/g, (_, n: string) => match[Number(n)] ?? '')
    return { name: fill(room.name), imports: room.imports.map(fill), why: room.why }
  }
}

/** The source files below a folder, as paths from the root; tests may import anything. */
export function sourcesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory())
      return /^(node_modules|dist|test|testing|locales)$/.test(entry.name)
        ? []
        : sourcesBelow(root, path)
    return /\.(ts|tsx)$/.test(entry.name) && !/\.(test|gen)\.tsx?$/.test(entry.name) ? [path] : []
  })
}

/** All violations of the files below some folders. */
export const brokenBelow = (root: string, walls: Walls, folders: readonly string[]): string[] =>
  folders
    .flatMap((folder) => sourcesBelow(root, folder))
    .flatMap((file) => edgesOf(root, file, readFileSync(join(root, file), 'utf8')))
    .flatMap((edge) => broken(walls, edge))
