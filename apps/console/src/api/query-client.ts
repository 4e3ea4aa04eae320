import { QueryClient } from '@tanstack/react-query'
import { ApiProblem } from './problem.ts'

const isWorthRetrying = (error: unknown) =>
  error instanceof ApiProblem ? error.status >= 500 : navigator.onLine

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      // Offline, a page says so instead of waiting; what failed is asked again when back online.
      networkMode: 'always',
      refetchOnReconnect: true,
      // spec §9: provider data is not revalidated on window focus; lists are treated alike.
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 2 && isWorthRetrying(error),
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})
