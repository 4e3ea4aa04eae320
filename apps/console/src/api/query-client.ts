import { hashKey, QueryClient } from '@tanstack/react-query'
import { ApiProblem } from './problem.ts'

const isWorthRetrying = (error: unknown) =>
  error instanceof ApiProblem ? error.status >= 500 : navigator.onLine

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      // Offline, a page says so instead of waiting; failed queries rerun once it is back online.
      networkMode: 'always',
      refetchOnReconnect: true,
      // spec §9: provider data is not revalidated on window focus; lists behave the same.
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 2 && isWorthRetrying(error),
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})

/**
 * Invalidates a service's answers at or below a path: `/api/developer/product` includes
 * `/api/developer/product/{id}`, but not `/api/developer/productVersion`. `except` keeps the answer
 * that was just saved.
 */
export function invalidate(
  service: string,
  path: string,
  { except }: { except?: readonly unknown[] } = {},
) {
  const kept = except && hashKey(except)
  return queryClient.invalidateQueries({
    predicate: ({ queryKey: [ofService, ofPath], queryHash }) =>
      ofService === service &&
      typeof ofPath === 'string' &&
      (ofPath === path || ofPath.startsWith(`${path}/`)) &&
      queryHash !== kept,
  })
}
