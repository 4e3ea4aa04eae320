import type { Rolldown } from 'vite'

type Graph = Pick<Rolldown.PluginContext, 'getModuleInfo'>

const library =
  /[\\/]node_modules[\\/](react|react-dom|scheduler|use-sync-external-store|@tanstack(?![\\/](react-)?virtual)|@lingui)[\\/]|rolldown\/runtime/
/** Parts of them that few pages other than those with a history use. */
const seldom = /[\\/](infiniteQueryObserver|useInfiniteQuery|infiniteQueryOptions)\.js$/
/** Used by every page and rarely changed by a release: the frameworks and the bundler's runtime. */
export const isLibrary = (id: string) => library.test(id) && !seldom.test(id)

/** Each message catalogue is a separate file, which no module imports. */
export const isNoCatalogue = (id: string) => !id.endsWith('.po?page')

/** Whether a chunk, by its name, belongs to the dashboard's frame, to a list, or to what lists share. */
export const isOfList = (name: string) => /^(dashboard|pages)(-|$)/.test(name)

const start = /\/src\/app\/start\.ts$/
/** A tiny module that both the verification and every page need, and that imports nothing. */
const everywhere = /\/auth-client\/src\/session\/end-of-session\.ts$/
/** Code that runs before the frameworks are loaded, with all its imports. */
export const startOf = (id: string, graph: Graph): string | null =>
  everywhere.test(id) || reaches(id, graph, start) ? 'start' : null

function reaches(id: string, graph: Graph, from: RegExp, seen = new Set<string>()): boolean {
  if (from.test(id)) return true
  if (seen.has(id)) return false
  seen.add(id)
  const importers = graph.getModuleInfo(id)?.importers ?? []
  return importers.some((importer) => reaches(importer, graph, from, seen))
}

/** The verification of access tokens. */
const verification =
  /\/auth-client\/src\/(session\/(verify-\w+|jws|keys|configured-keys)|token-details)\.ts$/
/** The routes of a part of the console, which load together; `[1]` is the part. */
const routesOf = /[\\/]src[\\/]app[\\/]routes-of[\\/](\w+)\.ts$/
/** A part of a route file that loads on its own; `[1]` is the page's path. */
const page = /[\\/]routes[\\/]_app[\\/](.*?)\.tsx\?tsr-split=/
/** A page that shows another page's list, or stands beside it: one chunk holds both. */
const sameList: Record<string, string> = {
  'dashboard/iot': 'dashboard/maple/devices',
  'dashboard/maple/imports': 'dashboard/maple/groups',
}
/** The pages of the guides, which have no shared code that other pages need. */
const docs = /[\\/](features|routes[\\/]_app)[\\/]docs[\\/]/
/** The table of guides, which the command palette needs too. */
const guides = /^virtual:guides$|[\\/]ui[\\/]guide[\\/]/
const pageOf = (root: string): string | undefined => {
  const path = page.exec(root)?.[1]
  return path && (sameList[path] ?? path)
}
/** A part of a feature that loads on demand, such as a panel; `[1]` is the area. */
const part = /[\\/]src[\\/]features[\\/](\w+)[\\/]/

/** Shared by the pages of the audit trail and of activity, and needed by no other list. */
const history =
  /[\\/]src[\\/](people[\\/](event-|person-filter)|ui[\\/]event[\\/]|ui[\\/]kit[\\/](combobox|date-range|day-range|load-failure|popover-button)\.(tsx?|module\.css)$)|[\\/]icons[\\/]calendar-days\./

/** Small parts that can open over any page; loaded once the page is idle. */
const later =
  /[\\/]src[\\/](session[\\/]find-maple-rights|shell[\\/](later|lost-connection|problem-texts|slow-refresh|shortcut-dialog|inbox)|ui[\\/](dialog[\\/]confirm-dialog|table[\\/](view-choices|selection-bar)|kit[\\/](tooltip(-host)?|anchor)))\.(tsx?|module\.css)$/
/** Shown above the list of devices after it has loaded. */
const deviceTools = /[\\/]fleet[\\/]device[\\/](list-lead|device-tools)\.tsx$/
/** Opens over the list of devices. */
const deviceLater =
  /[\\/]fleet[\\/]device[\\/](device\.panel|row-items|form[\\/]create-device|bulk[\\/]bulk-actions|filter[\\/]label-filter)\.tsx$/
/** Loaded with the ways to sign in. */
const signInCalls =
  /\/auth-client\/src\/sign-in\/(sign-in-calls|begin|anonymous|external-login-error)\.ts$/

/** Explains why the dashboard is unavailable; its frame loads this once it is idle. */
const refusal =
  /[\\/]shell[\\/]dashboard-failure\.tsx$|[\\/]_app[\\/]dashboard\.tsx\?tsr-split=errorComponent/

/** Lists that share no code with others: they have filters of their own, or read CPLCs. */
const ownList = /[\\/]features[\\/]maple[\\/](access[\\/]approval|card[\\/]session)[\\/]/
/**
 * Shown by Cedar’s lists, and later by a few pages elsewhere: providers, and the steps to a first
 * app.
 */
const ofCedar =
  /[\\/]src[\\/](session[\\/]providers|features[\\/]cedar[\\/]product[\\/]first-run)\.(tsx?|module\.css)$/

/**
 * Shared by one list of Maple and by parts that open over others, which would otherwise load the
 * list's chunk.
 */
const borrowed =
  /\/secure-element\/src\/(bytes|decode-error|derived-id)\.ts$|[\\/]card[\\/]faults[\\/]fault\.labels\.ts$|[\\/]icons[\\/](file-up|layers|waves-horizontal)\./

/** Modules with a fixed chunk, whatever imports them. */
const chunksOfModules: readonly (readonly [string, RegExp])[] = [
  ['verification', verification],
  ['guides', guides],
  ['history', seldom],
  ['later', later],
  ['later', refusal],
  ['sign-in-calls', signInCalls],
  ['pages-cedar', ofCedar],
  ['borrowed', borrowed],
]

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
 * The chunk of a module that the entry does not need, chosen by the pages and parts that reach it
 * through static imports. `dashboard` holds the frame and what lists of several services share,
 * `pages-maple` the routes of Maple and what its lists share, so that a list loads only these and its
 * own chunk; other pages and parts share `forms` and one chunk per area.
 */
export function chunkOf(id: string, graph: Graph): string | null {
  const [named] = chunksOfModules.find(([, modules]) => modules.test(id)) ?? []
  if (named !== undefined) return named
  // The showcase page imports everything, so it must not decide where a module goes.
  const roots = [...rootsOf(id, graph)].filter((root) => !root.includes('/routes/_app/dev/'))
  if (roots.length > 0) {
    if (roots.every((root) => deviceTools.test(root))) return 'device-tools'
    if (roots.every((root) => deviceLater.test(root))) return 'device-later'
  }
  const isVisited = roots.some((root) => root.includes('/features/catalogue/'))
  const parts = roots.flatMap((root) => routesOf.exec(root)?.[1] ?? [])
  if (parts.length > 0) return routesChunk(parts, roots)
  if (docs.test(id)) return 'docs'
  if (history.test(id)) return 'history'
  const pages = roots.flatMap((root) => pageOf(root) ?? [])
  const inDashboard = pages.filter((path) => path.startsWith('dashboard'))
  // The start page must not load the dashboard's frame for code that both need.
  const listPages = [
    ...new Set(roots.filter((root) => isList(root, graph)).flatMap((root) => pageOf(root) ?? [])),
  ]
  const isOfList = inDashboard.includes('dashboard') || listPages.length > 0
  if (isVisited) return roots.length === 1 ? null : isOfList ? 'shared' : 'dialogs'
  const isLogin = pages.includes('login/index')
  if (inDashboard.length === 0 && pages.length > 0)
    return isLogin ? 'login' : pages.length > 1 ? 'sign-in' : null
  // Fields and form state, which the login page needs too.
  if (isLogin) return 'fields'
  if (inDashboard.includes('dashboard')) return 'dashboard'

  const areas = new Set(roots.flatMap((root) => areaOf(root) ?? []))
  const [area] = areas
  // A list needs only `dashboard` and its own chunk.
  const [list, ...more] = listPages
  const areasOfLists = new Set(listPages.map((path) => path.split('/')[1]))
  // What two lists of different services share must not weigh on all the others.
  if (listPages.length === 2 && areasOfLists.size === 2) return 'lists'
  if (list !== undefined) {
    if (more.length === 0 && areas.size === 1) return nameOf(list)
    return areasOfLists.size === 1 && areas.size === 1 ? `pages-${area}` : 'dashboard'
  }
  if (areas.size > 1) return 'forms'
  // A chunk that a library loads on demand must not bring an area's pages with it.
  const isElsewhere = roots.some((root) => !page.test(root) && !part.test(root))
  if (isElsewhere && area !== undefined) return 'shared'
  if (area === undefined || roots.length < 2) return null
  const folders = new Set(roots.flatMap((root) => folderOf(root, graph) ?? []))
  return folders.size === 1 ? `${area}-${[...folders][0]}` : area
}

const folder = /[\\/]src[\\/]features[\\/]maple[\\/](\w+)[\\/]/
/** Maple is large: the modules of one of its folders must not load with those of the others. */
function folderOf(root: string, graph: Graph): string | undefined {
  const ids = [root, ...(graph.getModuleInfo(root)?.importedIds ?? [])]
  return ids.flatMap((id) => folder.exec(id)?.[1] ?? [])[0]
}

/** The services of parts that are less than a whole service. */
const services: Record<string, string> = { product: 'cedar', stage: 'maple' }

/** The routes of a service load before its pages, together with what its lists share. */
function routesChunk([part, ...more]: string[], roots: readonly string[]): string {
  const area = services[part ?? ''] ?? part
  // Parts that open over any page, such as the palette, may load a service's pages as well.
  const isOfPart = roots.every((root) => routesOf.test(root) || (areaOf(root) ?? area) === area)
  return part !== 'dashboard' && more.length === 0 && isOfPart ? `pages-${part}` : 'dashboard'
}

const nameOf = (path: string) => path.replaceAll(/[^a-z]+/gi, '-')

/** Cedar's account pages show data of the authentication service. */
function areaOf(root: string): string | undefined {
  const path = pageOf(root)
  const area = path === undefined ? part.exec(root)?.[1] : path.split('/')[1]
  return area === 'auth' || path?.startsWith('dashboard/cedar/account') ? 'account' : area
}

const known = new WeakMap<Graph, Map<string, ReadonlySet<string>>>()
/** The dynamically imported modules whose static imports lead to this one. */
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
