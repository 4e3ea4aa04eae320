import type { Device } from '@grove/contract'
import { listView, manyOf, textOf, optional } from '../../../ui/table/list-search.ts'

export const deviceTypes = ['iot', 'virtual', 'boot', 'default'] as const satisfies Device['type'][]
export const deviceStates = [
  'pending',
  'accepted',
  'online',
  'offline',
  'quarantined',
  'retired',
] as const satisfies Device['state'][]

export const pageSizes = [25, 50, 100, 200] as const
export const defaultPageSize = 50

/** Everything that the page shows, as the address holds it. */
export const deviceSearch = (search: Record<string, unknown>) =>
  optional({
    ...listView(search, {
      sorts: ['name', 'id', 'createdAt', 'lastSeenAt'],
      columns: ['id', 'type', 'state', 'elements', 'lastSeenAt', 'createdAt'],
    }),
    q: textOf(search['q']),
    type: manyOf(deviceTypes, search['type']),
    state: manyOf(deviceStates, search['state']),
    limit: pageSizes.find((size) => size === search['limit']),
    /** The device in the side panel; with `edit`, its form. */
    device: textOf(search['device']),
    edit: search['edit'] === true || undefined,
    create: search['create'] === true || undefined,
  })

export type DeviceSearch = ReturnType<typeof deviceSearch>

/** The part of it that says which devices are listed. */
export const filterOf = ({ q, type, state }: DeviceSearch) =>
  optional({ q, type: type?.join(','), state: state?.join(',') })

/** The part of it that says which page of them. */
export const pageOf = (search: DeviceSearch) => {
  const { sort, order, cursor, limit = defaultPageSize } = search
  return optional({ ...filterOf(search), sort, order, cursor, limit })
}

export const isFiltered = ({ q, type, state }: DeviceSearch) =>
  q !== undefined || type !== undefined || state !== undefined
