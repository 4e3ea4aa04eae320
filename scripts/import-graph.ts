import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { edgesOf } from './walls.ts'

/** The files that each file loads at run time: type imports are ignored. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

/** Every source file below the folders, including tests, as paths from the root. */
export function filesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory())
      return /^(node_modules|dist|locales)$/.test(entry.name) ? [] : filesBelow(root, path)
    return /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.gen.ts') ? [path] : []
  })
}

/** Files that run as separate processes are referenced by URL. */
const started = /new URL\(\s*['"`](\.{1,2}\/[^'"`]+\.tsx?)['"`]\s*,\s*import\.meta\.url\s*,?\s*\)/g

export function importGraph(root: string, folders: readonly string[]): ImportGraph {
  const files = folders.flatMap((folder) => filesBelow(root, folder))
  return new Map(
    files.map((file) => {
      const source = readFileSync(join(root, file), 'utf8')
      const processes = [...source.matchAll(started)].flatMap(([, address = '']) =>
        edgesOf(root, file, `import '${address}'\n`),
      )
      const edges = [...edgesOf(root, file, source), ...processes]
      return [
        file,
        edges
          .filter(({ to, isType }) => !isType && !to.startsWith('npm:'))
          .map(({ to }) => (existsSync(join(root, to)) ? to : to.replace(/\.ts$/, '.tsx'))),
      ]
    }),
  )
}

/** The files that load one of `targets`, directly or through others, but not through `cut`. */
export function filesThatReach(
  graph: ImportGraph,
  targets: ReadonlySet<string>,
  cut: ReadonlySet<string> = new Set(),
): Set<string> {
  const importers = new Map<string, string[]>()
  for (const [file, imported] of graph)
    for (const to of imported) importers.set(to, [...(importers.get(to) ?? []), file])
  const found = new Set(targets)
  const queue = [...targets]
  for (let file = queue.pop(); file !== undefined; file = queue.pop())
    for (const importer of importers.get(file) ?? [])
      if (!found.has(importer) && !cut.has(importer)) {
        found.add(importer)
        queue.push(importer)
      }
  return found
}

/** The strongly connected components of more than one node, largest first (Tarjan, 1972). */
export function blocksOf(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const open: string[] = []
  const blocks: string[][] = []
  const visit = (node: string) => {
    index.set(node, index.size)
    low.set(node, index.size - 1)
    open.push(node)
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next)
      if (open.includes(next)) low.set(node, Math.min(low.get(node) ?? 0, low.get(next) ?? 0))
    }
    if (low.get(node) !== index.get(node)) return
    const block = open.splice(open.indexOf(node))
    if (block.length > 1) blocks.push(block.toSorted())
  }
  for (const node of graph.keys()) if (!index.has(node)) visit(node)
  return blocks.toSorted((a, b) => b.length - a.length)
}
