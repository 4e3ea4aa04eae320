import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import { listView, manyOf, textOf, withoutUndefined } from '../../../components/list-search.ts'

export const deviceTypes = ['iot', 'virtual', 'boot', 'default'] as const
export const deviceStates = [
  'pending',
  'accepted',
  'online',
  'offline',
  'quarantined',
  'retired',
] as const

/** The list's state as the address holds it. */
export const deviceSearch = (search: Record<string, unknown>) =>
  withoutUndefined({
    ...listView(search, {
      sorts: ['name', 'id', 'createdAt', 'lastSeenAt'],
      columns: ['id', 'type', 'state', 'elements', 'lastSeenAt'],
    }),
    q: textOf(search['q']),
    type: manyOf(deviceTypes, search['type']),
    state: manyOf(deviceStates, search['state']),
  })

export type DeviceSearch = ReturnType<typeof deviceSearch>

export const deviceListQuery = ({ q, type, state, sort, order, cursor }: DeviceSearch) => {
  const query = withoutUndefined({
    q,
    sort,
    order,
    cursor,
    type: type?.join(','),
    state: state?.join(','),
  })
  return queryOptions({
    queryKey: ['maple', 'device', 'list', query],
    queryFn: ({ signal }) => api.get('/api/maple/device', { query, signal }),
  })
}
