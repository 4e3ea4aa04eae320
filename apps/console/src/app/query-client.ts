import { QueryClient } from '@tanstack/react-query'
import { ApiProblem } from '../api/problem.ts'

const isWorthRetrying = (error: unknown) => !(error instanceof ApiProblem) || error.status >= 500

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      // spec §9: provider data is not revalidated on window focus; lists are treated alike.
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 2 && isWorthRetrying(error),
    },
    mutations: { retry: false },
  },
})
