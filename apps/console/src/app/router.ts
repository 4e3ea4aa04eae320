import type { MessageDescriptor } from '@lingui/core'
import { createRouter } from '@tanstack/react-router'
import { queryClient } from '../api/query-client.ts'
import { PageFailure } from '../ui/failure/failure.tsx'
import { NotFound } from '../ui/failure/not-found.tsx'
import { Pending } from '../ui/page/pending.tsx'
import { parseSearch, stringifySearch } from './search-address.ts'
import { savesData } from '../ui/link/saves-data.ts'
import { connectRouter, loadRoutes, routeTree } from './route-tree.tsx'

/** How long a page may take before a skeleton is shown. */
const pendingMs = 150

export const router = createRouter({
  routeTree,
  context: { queryClient, loadRoutes },
  // Parameters that a page does not know are removed from the URL.
  search: { strict: true },
  parseSearch,
  stringifySearch,
  // Query owns freshness: every visit and every prefetch goes through it.
  defaultPreload: savesData() ? false : 'intent',
  defaultPreloadStaleTime: 0,
  defaultPendingMs: pendingMs,
  defaultPendingMinMs: 300,
  defaultPendingComponent: Pending,
  defaultErrorComponent: PageFailure,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
})

// A list whose filter changes is not a new page: showing a skeleton instead, while the session is
// renewed, would lose the focus and what was typed.
router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
  router.options.defaultPendingMs = pathChanged ? pendingMs : Infinity
})

connectRouter({
  onAdded: () => router.setRoutes(router.buildRouteTree()),
  routeOf: (address) => router.getMatchedRoutes(address)[2],
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
  interface StaticDataRouteOption {
    /** Titles the page in the tab, the breadcrumbs and for screen readers. */
    title?: MessageDescriptor
  }
}
