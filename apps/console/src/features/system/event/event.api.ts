import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../session/api.ts'
import { momentsOf, daysOf } from '../../../ui/kit/day-range.ts'
import { eventList, type EventSearch } from './event.search.ts'

interface Options {
  query: ReturnType<typeof pageOf>
  signal: AbortSignal
}

const read = {
  auth: (options: Options) => api.auth.get('/api/auth/event', options),
  cedar: (options: Options) => api.cedar.get('/api/cedar/event', options),
  maple: (options: Options) => api.maple.get('/api/maple/event', options),
}

function pageOf(search: EventSearch) {
  const { q, cursor, limit } = eventList.page(search)
  const days = daysOf(search)
  const moments = days && momentsOf(days)
  return {
    limit,
    ...(q !== undefined && { q }),
    ...(cursor !== undefined && { cursor }),
    ...(search.action !== undefined && { action: search.action }),
    ...(moments && { from: moments.from, to: moments.before }),
  }
}

export function eventListQuery(search: EventSearch) {
  const { service } = search
  const query = pageOf(search)
  return queryOptions({
    queryKey: [service, `/api/${service}/event`, { query }] as const,
    queryFn: ({ signal }) => read[service]({ query, signal }),
  })
}
