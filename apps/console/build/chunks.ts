import type { Rolldown } from 'vite'

type Graph = Pick<Rolldown.PluginContext, 'getModuleInfo'>

const library =
  /[\\/]node_modules[\\/](react|react-dom|scheduler|use-sync-external-store|@tanstack(?![\\/](react-)?virtual)|@lingui)[\\/]|rolldown\/runtime/
/** Parts of them that pages with a history use, and few others. */
const seldom = /[\\/](infiniteQueryObserver|useInfiniteQuery|infiniteQueryOptions)\.js$/
/** What every page needs and few releases change: the frameworks, and the bundler's own runtime. */
export const isLibrary = (id: string) => library.test(id) && !seldom.test(id)

const start = /\/src\/app\/start\.ts$/
/** A line that the verification and every page need, and that imports nothing. */
const everywhere = /\/auth-client\/src\/session\/end-of-session\.ts$/
/** What runs before the frameworks are here, with all that it imports. */
export const startOf = (id: string, graph: Graph): string | null =>
  everywhere.test(id) || reaches(id, graph, start) ? 'start' : null

function reaches(id: string, graph: Graph, from: RegExp, seen = new Set<string>()): boolean {
  if (from.test(id)) return true
  if (seen.has(id)) return false
  seen.add(id)
  const importers = graph.getModuleInfo(id)?.importers ?? []
  return importers.some((importer) => reaches(importer, graph, from, seen))
}

/** What checks an access token, with its library. */
const verification =
  /[\\/]node_modules[\\/]jose[\\/]|\/auth-client\/src\/(session\/verify-\w+|token-details)\.ts$/
/** The routes of a part of the console, which load together; `[1]` is the part. */
const routesOf = /[\\/]src[\\/]app[\\/]routes-of[\\/](\w+)\.ts$/
/** A part of a route file that loads on its own; `[1]` is the page's path. */
const page = /[\\/]routes[\\/]_app[\\/](.*?)\.tsx\?tsr-split=/
/** A part of a feature that opens later, such as a panel; `[1]` is the area. */
const part = /[\\/]src[\\/]features[\\/](\w+)[\\/]/

/** What the pages of the audit trail and of activity share, and no other list needs. */
const history =
  /[\\/]src[\\/]ui[\\/](event[\\/]|kit[\\/](anchor|combobox|date-range|day-range|load-failure|popover-button)\.(tsx?|module\.css)$)|[\\/]icons[\\/]calendar-days\./

/** Lists that share what they load with no other: they have filters of their own, or read CPLCs. */
const ownList = /[\\/]features[\\/]maple[\\/](access[\\/]approval|card[\\/]session)[\\/]/
/** Cedar’s lists show providers; a few pages elsewhere ask for them later. */
const providers = /[\\/]src[\\/]session[\\/]providers\.ts$/

/** A page that shows the list of a resource, and no other component of a feature. */
function isList(root: string, graph: Graph): boolean {
  const imported = graph.getModuleInfo(root)?.importedIds ?? []
  const components = imported.filter((id) => part.test(id) && id.endsWith('.tsx'))
  return (
    page.test(root) &&
    components.length === 1 &&
    components.every((id) => id.endsWith('.list.tsx') && !ownList.test(id))
  )
}

/**
 * The chunk of a module that the entry does not need, by the pages and parts that reach it through
 * static imports. `dashboard` holds the frame and what lists of several services share, and
 * `pages-maple` the routes of Maple and what its lists share, so that a list loads these and its own
 * chunk; other pages and parts share `forms` and one chunk an area.
 */
export function chunkOf(id: string, graph: Graph): string | null {
  if (verification.test(id)) return 'verification'
  if (seldom.test(id)) return 'history'
  if (providers.test(id)) return 'pages-cedar'
  // The page that shows every piece needs what others need, and decides nothing for them.
  const roots = [...rootsOf(id, graph)].filter((root) => !root.includes('/routes/_app/dev/'))
  const isVisited = roots.some((root) => root.includes('/features/catalogue/'))
  const parts = roots.flatMap((root) => routesOf.exec(root)?.[1] ?? [])
  if (parts.length > 0) return routesChunk(parts, roots)
  if (history.test(id)) return 'history'
  const pages = roots.flatMap((root) => page.exec(root)?.[1] ?? [])
  const inDashboard = pages.filter((path) => path.startsWith('dashboard'))
  // The start page must not load the dashboard's frame for what both need.
  const listPages = roots
    .filter((root) => isList(root, graph))
    .flatMap((root) => page.exec(root)?.[1] ?? [])
  const isOfList = inDashboard.includes('dashboard') || listPages.length > 0
  if (isVisited) return roots.length === 1 ? null : isOfList ? 'shared' : 'dialogs'
  const isLogin = pages.includes('login/index')
  if (inDashboard.length === 0 && pages.length > 0)
    return isLogin ? 'login' : pages.length > 1 ? 'sign-in' : null
  // Fields and the state of a form, which the login page has as well.
  if (isLogin) return 'fields'
  if (inDashboard.includes('dashboard')) return 'dashboard'

  const areas = new Set(roots.flatMap((root) => areaOf(root) ?? []))
  const [area] = areas
  // What a list needs is in `dashboard` and in its own chunk.
  const [list, ...more] = listPages
  const areasOfLists = new Set(listPages.map((path) => path.split('/')[1]))
  // Two lists of different services do not burden all others with what they share.
  if (listPages.length === 2 && areasOfLists.size === 2) return 'lists'
  if (list !== undefined) {
    if (more.length === 0 && areas.size === 1) return nameOf(list)
    const [service] = areasOfLists
    return areasOfLists.size === 1 && areas.size === 1 ? `pages-${service}` : 'dashboard'
  }
  if (areas.size > 1) return 'forms'
  // What a library loads later must not load an area's pages with it.
  const isElsewhere = roots.some((root) => !page.test(root) && !part.test(root))
  if (isElsewhere && area !== undefined) return 'shared'
  if (area === undefined || roots.length < 2) return null
  return area
}

/** The services of parts that are not a whole one. */
const services: Record<string, string> = { product: 'cedar', stage: 'maple' }

/** The routes of a service load before its pages, with what its lists share. */
function routesChunk([part, ...more]: string[], roots: readonly string[]): string {
  const area = services[part ?? ''] ?? part
  // What opens over any page, such as the palette, may load the pages of a service with it.
  const isOfPart = roots.every((root) => routesOf.test(root) || (areaOf(root) ?? area) === area)
  return part !== 'dashboard' && more.length === 0 && isOfPart ? `pages-${part}` : 'dashboard'
}

const nameOf = (path: string) => path.replaceAll(/[^a-z]+/gi, '-')

/** Cedar's account pages show what the authentication service holds. */
function areaOf(root: string): string | undefined {
  const path = page.exec(root)?.[1]
  const area = path === undefined ? part.exec(root)?.[1] : path.split('/')[1]
  return area === 'auth' || path?.startsWith('dashboard/cedar/account') ? 'account' : area
}

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
