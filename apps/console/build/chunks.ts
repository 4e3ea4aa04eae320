import type { Rolldown } from 'vite'

type Graph = Pick<Rolldown.PluginContext, 'getModuleInfo'>

const library =
  /[\\/]node_modules[\\/](react|react-dom|scheduler|@tanstack|@lingui)[\\/]|rolldown\/runtime/
/** What every page needs and few releases change: the frameworks, and the bundler's own runtime. */
export const isLibrary = (id: string) => library.test(id)

/** A part of a route file that loads on its own; `[1]` is the page's path. */
const page = /[\\/]routes[\\/]_app[\\/](.*?)\.tsx\?tsr-split=/

/**
 * The chunk of a module that the entry does not need, by the pages that reach it through static
 * imports. What pages of several services share lies with the dashboard's frame; what pages of one
 * service share lies beside the first of them, so that a list loads nothing of the pages below it.
 * A module that one page alone reaches stays in its chunk.
 */
export function chunkOf(id: string, graph: Graph): string | null {
  const reaching = [...rootsOf(id, graph)]
  // The page that shows every piece needs what others need, and decides nothing for them.
  const roots = reaching.filter((root) => !root.includes('/routes/_app/dev/'))
  if (roots.length === 1 && reaching.length > 1 && page.test(roots[0] ?? '')) return 'dashboard'
  const pages = roots.flatMap((root) => page.exec(root)?.[1] ?? [])
  const others = roots.filter((root) => !page.test(root))
  if (roots.length < 2) return null
  const inDashboard = pages.filter((path) => path.startsWith('dashboard'))
  if (others.length === 0 && inDashboard.length === 0) return 'sign-in'
  // Used by the start page too, which must not load the dashboard's frame for it.
  if (others.some((root) => root.includes('/catalogue/')) && inDashboard.length > 0) return 'shared'
  if (inDashboard.includes('dashboard') || services(inDashboard).size > 1) return 'dashboard'
  const [first] = inDashboard.toSorted((a, b) => a.length - b.length)
  return first === undefined ? null : first.replaceAll(/[^a-z]+/gi, '-')
}

const services = (pages: readonly string[]) =>
  new Set(pages.map((path) => path.split('/').slice(0, 3).join('/')))

const known = new WeakMap<Graph, Map<string, ReadonlySet<string>>>()

/** The modules that a dynamic import loads and from which static imports lead here. */
function rootsOf(id: string, graph: Graph): ReadonlySet<string> {
  const memo = known.get(graph) ?? new Map<string, ReadonlySet<string>>()
  known.set(graph, memo)
  const found = memo.get(id)
  if (found) return found
  const roots = new Set<string>()
  const seen = new Set<string>()
  const climb = (from: string) => {
    if (seen.has(from)) return
    seen.add(from)
    const info = graph.getModuleInfo(from)
    if (!info) return
    if (info.dynamicImporters.length > 0) roots.add(from)
    info.importers.forEach(climb)
  }
  climb(id)
  memo.set(id, roots)
  return roots
}
