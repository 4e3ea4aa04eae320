import { createRoute, notFound, redirect, type AnyRoute } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { routeTree as generated } from '../routeTree.gen.ts'
import { Route as root } from '../routes/__root.tsx'
import { Route as frame } from '../routes/_app.tsx'
import { DashboardNotFound, NotFound } from '../ui/failure/not-found.tsx'
import { VisitorPage } from '../ui/page/visitor-page.tsx'
import { routeParts } from './route-parts.ts'
import { placeOf, routeIdOf } from './route-place.ts'
import { files as visitors } from './visitors.ts'

/** Routes by their files. */
type RouteFiles = Record<string, unknown>

const loaders = import.meta.glob<{ files: RouteFiles }>('./routes-of/*.ts')
const loaded = new Set<string>()

function missingFor(address: string): string[] {
  const fitting = Object.entries(routeParts).filter(([beginning]) => address.startsWith(beginning))
  const parts = [fitting[0], fitting.at(-1)].flatMap((part) => part?.[1] ?? [])
  return [...new Set(parts)].filter((part) => !loaded.has(part))
}

/** The routes loaded so far, by ID, each with its children. */
const here = new Map<string, { route: AnyRoute; below: AnyRoute[] }>()

function add(id: string, route: AnyRoute) {
  const { parentId, ownId, path } = placeOf(id, here.keys())
  const parent = here.get(parentId)
  const getParentRoute = () => parent?.route ?? root
  route.update({ id: ownId, ...(path !== '' && { path }), getParentRoute } as never)
  here.set(id, { route, below: [] })
  parent?.below.push(route)
  parent?.route._addFileChildren(parent.below as never)
}

function addFiles(files: RouteFiles) {
  // A folder's own file comes before its contents.
  for (const file of Object.keys(files).toSorted()) add(routeIdOf(file), files[file] as AnyRoute)
}

/** Any URL below a folder whose route is not loaded yet. */
function addElsewhere(folder: string, NotHere: () => ReactNode) {
  const elsewhere = createRoute({
    getParentRoute: () => frame,
    path: '$',
    // The page that eventually matches reads the parameters.
    validateSearch: (search: Record<string, unknown>) => search,
    beforeLoad: async ({ location }) => {
      await loadRoutes(location.pathname)
      // Another navigation may have added the page since this one was matched.
      if (routeOf(location.pathname) === elsewhere) throw notFound()
      throw redirect({ href: location.href, replace: true })
    },
    notFoundComponent: NotHere,
  })
  add(`${folder}/$`, elsewhere)
}

add('/_app', frame as AnyRoute)
addFiles(visitors)
addElsewhere('/_app', () => (
  <VisitorPage>
    <NotFound />
  </VisitorPage>
))

/** The visitors' routes, plus the others that `loadRoutes` has added. */
export const routeTree = root._addFileChildren([frame] as never) as unknown as typeof generated

interface RouterOfTree {
  /** Rebuilds the tree with the routes that were added. */
  onAdded: () => void
  /** The route that a URL currently matches. */
  routeOf: (address: string) => unknown
}
let { onAdded, routeOf }: RouterOfTree = { onAdded: () => {}, routeOf: () => undefined }
export const connectRouter = (router: RouterOfTree) => {
  ;({ onAdded, routeOf } = router)
}

/** Loads the routes that a URL needs; rejects if they fail to load. */
export async function loadRoutes(address: string) {
  const parts = missingFor(address)
  const all = await Promise.all(
    parts.map(async (part) => [part, await loaders[`./routes-of/${part}.ts`]?.()] as const),
  )
  for (const [part, routes] of all) {
    // Another navigation has requested it too.
    if (loaded.has(part)) continue
    loaded.add(part)
    addFiles(routes?.files ?? {})
    if (part === 'dashboard') addElsewhere('/_app/dashboard', DashboardNotFound)
  }
  if (parts.length > 0) onAdded()
}
