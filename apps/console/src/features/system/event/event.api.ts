import type { ServiceName } from '@grove/contract'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../session/api.ts'
import type { eventPage } from './event.search.ts'

interface Options {
  query: ReturnType<typeof eventPage>
  signal: AbortSignal
}

const read = {
  auth: (options: Options) => api.auth.get('/api/auth/event', options),
  cedar: (options: Options) => api.cedar.get('/api/cedar/event', options),
  maple: (options: Options) => api.maple.get('/api/maple/event', options),
}

export const eventListQuery = (service: ServiceName, query: Options['query']) =>
  queryOptions({
    queryKey: [service, `/api/${service}/event`, { query }] as const,
    queryFn: ({ signal }) => read[service]({ query, signal }),
  })
