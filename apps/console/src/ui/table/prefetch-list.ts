import type { QueryClient, QueryKey } from '@tanstack/react-query'

interface Query {
  queryKey: QueryKey
}

interface Context {
  queryClient: QueryClient
  viewer: { isAdmin: boolean }
}

/**
 * Asks for the list of an administrators' page, and for the row in its panel. Not awaited: the page
 * shows its frame at once and the table its skeleton.
 */
export function prefetchList<Page>(
  resource: { query: (page: Page) => Query; one?: (id: string) => Query },
  { queryClient, viewer }: Context,
  { page, item }: { page: Page; item: string | undefined },
): void {
  // The shell says to a developer why the page is closed; a request would be refused.
  if (!viewer.isAdmin) return
  void queryClient.prefetchQuery(resource.query(page))
  if (resource.one && item !== undefined) void queryClient.prefetchQuery(resource.one(item))
}
