import type { ServiceName } from '@grove/contract/call'
import { queryOptions } from '@tanstack/react-query'
import { findPeople } from '../../../people/find-people.ts'
import { api } from '../../../session/api.ts'
import { momentsOf, daysOf } from '../../../ui/kit/day-range.ts'
import { eventList, type EventSearch } from './event.search.ts'

interface Options {
  query: ReturnType<typeof pageOf> | { actor: string; limit: number }
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
    ...(search.actor !== undefined && { actor: search.actor }),
    ...(search.action !== undefined && { action: search.action }),
    ...(search.partOf !== undefined && { partOf: search.partOf }),
    ...(moments && { from: moments.from, to: moments.before }),
  }
}

export function eventListQuery(search: EventSearch) {
  const { service } = search
  const query = pageOf(search)
  return queryOptions({
    queryKey: [service, `/api/${service}/event`, { query }] as const,
    queryFn: async ({ signal }) => {
      const { q } = query
      if (!q?.includes('@')) return read[service]({ query, signal })
      const [person, other] = await findPeople(q, signal)
      // A prefix that several addresses share identifies nobody.
      const isOne = person && (other === undefined || person.email === q.trim().toLowerCase())
      return read[service]({ query: { ...query, q: isOne ? person.id : q }, signal })
    },
  })
}

/** A person's latest events in a service. */
export function eventsOfPerson(service: ServiceName, actor: string, limit: number) {
  const query = { actor, limit }
  return queryOptions({
    queryKey: [service, `/api/${service}/event`, { query }] as const,
    queryFn: ({ signal }) => read[service]({ query, signal }),
  })
}
