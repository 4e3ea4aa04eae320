import { deviceSorts, deviceStates, deviceTypes } from '@grove/contract/maple/device.rules'
import { defaultPageSize } from '@grove/contract/page.rules'
import { listView, manyOf, textOf, optional } from '../../../ui/table/list-search.ts'

export const pageSizes = [25, 50, 100, 200] as const

/** The page's state, as the URL holds it. */
export const deviceSearch = (search: Record<string, unknown>) =>
  optional({
    ...listView(search, {
      sorts: deviceSorts,
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

/** The part that selects the listed devices. */
export const filterOf = ({ q, type, state }: DeviceSearch) =>
  optional({ q, type: type?.join(','), state: state?.join(',') })

/** The part that selects the page. */
export const pageOf = (search: DeviceSearch) => {
  const { sort, order, cursor, limit = defaultPageSize } = search
  return optional({ ...filterOf(search), sort, order, cursor, limit })
}

export const isFiltered = ({ q, type, state }: DeviceSearch) =>
  q !== undefined || type !== undefined || state !== undefined
