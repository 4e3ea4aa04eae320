import type { MessageDescriptor } from '@lingui/core'
import { createRouter, redirect } from '@tanstack/react-router'
import { queryClient } from '../api/query-client.ts'
import { PageFailure } from '../ui/failure/failure.tsx'
import { NotFound } from '../ui/failure/not-found.tsx'
import { Pending } from '../ui/page/pending.tsx'
import { parseSearch, stringifySearch } from './search-address.ts'
import { savesData } from '../ui/link/saves-data.ts'
import { elsewhere, visitorRoutes } from './visitor-routes.ts'

/** How long a page may take before a skeleton holds its place. */
const pendingMs = 150

export const router = createRouter({
  routeTree: visitorRoutes,
  context: { queryClient },
  // Parameters that a page does not know leave the address.
  search: { strict: true },
  parseSearch,
  stringifySearch,
  // Query owns freshness: every visit and every prefetch asks it.
  defaultPreload: savesData() ? false : 'intent',
  defaultPreloadStaleTime: 0,
  defaultPendingMs: pendingMs,
  defaultPendingMinMs: 300,
  defaultPendingComponent: Pending,
  defaultErrorComponent: PageFailure,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
})

// A list whose filter changes is no new page: a skeleton in its place, while the session is renewed,
// would take away the focus and what is typed.
router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
  router.options.defaultPendingMs = pathChanged ? pendingMs : Infinity
})

const isComplete = () => '/_app/dashboard' in router.routesById

/** Loads the routes of all pages; rejects when they cannot be had. */
export async function loadRoutes() {
  // Built of the same routes, it replaces the visitor's tree by being loaded.
  await import('../routeTree.gen.ts')
  if (isComplete()) return
  router.setRoutes(router.buildRouteTree())
  // A navigation to it may be under way.
  Object.assign(router.routesById, { [elsewhere.id]: elsewhere })
}

/** Whether a page can be shown without the routes of all. */
export function isForVisitors(path: string): boolean {
  const [, , page] = router.getMatchedRoutes(path)
  return page !== elsewhere
}

elsewhere.options.beforeLoad = async ({ location }) => {
  await loadRoutes()
  throw redirect({ href: location.href, replace: true })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
  interface StaticDataRouteOption {
    /** Names the page in the tab, the breadcrumbs and to a screen reader. */
    title?: MessageDescriptor
  }
}
