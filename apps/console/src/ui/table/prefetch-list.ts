import type { QueryClient, QueryKey } from '@tanstack/react-query'

interface Query {
  queryKey: QueryKey
}

interface Context {
  queryClient: QueryClient
  viewer: { isAdmin: boolean }
  /** The first call of the page has already been answered. */
  isAnswered: boolean
}

/**
 * Prefetches the list of an administrators' page, and the row in its panel. Not awaited unless
 * cached: the page shows its frame immediately and the table its skeleton.
 */
export function prefetchList<Page>(
  resource: { query: (page: Page) => Query; one?: (id: string) => Query },
  { queryClient, viewer, isAnswered }: Context,
  { page, item }: { page: Page; item: string | undefined },
): Promise<void> | undefined {
  // The shell tells a developer why the page is closed; a request would be refused.
  if (!viewer.isAdmin) return
  const asked = queryClient.prefetchQuery(resource.query(page))
  if (resource.one && item !== undefined) void queryClient.prefetchQuery(resource.one(item))
  return isAnswered ? asked : undefined
}
