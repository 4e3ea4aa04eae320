import type { Device } from '@grove/contract'
import { queryOptions, type QueryClient } from '@tanstack/react-query'
import { api } from '../../../session/api.ts'
import { ApiProblem } from '../../../api/problem.ts'
import type { filterOf, pageOf } from './device.search.ts'

const listKey = ['maple', 'device', 'list'] as const

export const deviceListQuery = (query: ReturnType<typeof pageOf>) =>
  queryOptions({
    queryKey: [...listKey, query],
    queryFn: ({ signal }) => api.maple.get('/api/maple/device', { query, signal }),
  })

/** Asked apart from the rows, which do not wait for it. */
export const deviceCountQuery = (filter: ReturnType<typeof filterOf>) =>
  queryOptions({
    queryKey: ['maple', 'device', 'count', filter],
    queryFn: async ({ signal }) => {
      const query = { ...filter, limit: 1, count: true }
      const { count } = await api.maple.get('/api/maple/device', { query, signal })
      return count ?? null
    },
  })

/** One device by its id; rejects with `not_found` when there is none. */
export const deviceQuery = (id: string) =>
  queryOptions({
    queryKey: ['maple', 'device', 'one', id],
    queryFn: async ({ signal }) => {
      const { items } = await api.maple.get('/api/maple/device', { query: { id }, signal })
      const [device] = items
      if (!device) throw new ApiProblem({ code: 'not_found' }, 404)
      return device
    },
  })

/** The device as a list that is on hand has it, to show while it is asked for. */
export function listedDevice(client: QueryClient, id: string): Device | undefined {
  return client
    .getQueriesData<{ items: Device[] }>({ queryKey: listKey })
    .flatMap(([, page]) => page?.items ?? [])
    .find((device) => device.id === id)
}

/** After a change: the device as the server answered it, and everything else asked anew. */
export function refreshDevices(client: QueryClient, changed?: Device) {
  if (changed) client.setQueryData(deviceQuery(changed.id).queryKey, changed)
  return client.invalidateQueries({
    queryKey: ['maple', 'device'],
    predicate: ({ queryKey }) => !(changed && queryKey[2] === 'one' && queryKey[3] === changed.id),
  })
}
