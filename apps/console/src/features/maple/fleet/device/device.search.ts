import {
  deviceSeen,
  deviceSorting,
  deviceSorts,
  deviceSortsOf,
  deviceStates,
  deviceTypes,
  parseConditions,
} from '@grove/contract/maple/fleet/device.rules'
import { isUuid } from '@grove/auth-client/rules'
import { isServiceId } from '@grove/contract/maple/access/service.rules'
import { defineList } from '../../../../ui/table/list-definition.ts'
import { withOne } from '../../../../ui/table/list-search.ts'

/** A UTC day, such as 2026-11-22. */
const isDay = (value: string) => /^[1-9]\d{3}-\d\d-\d\d$/.test(value)

export const deviceList = defineList({
  name: 'maple.device',
  item: 'device',
  sorting: { ...deviceSorting, by: deviceSorts },
  filters: {
    type: deviceTypes,
    state: deviceStates,
    seen: deviceSeen,
    createdOn: isDay,
    tag: (value: string) => value !== '',
    /** Each is one condition in the service's syntax, such as `floor>=3`. */
    attribute: (value: string) => parseConditions(value)?.length === 1,
    serviceId: isServiceId,
    productId: isUuid,
    groupId: isUuid,
    importId: isUuid,
  },
  columns: ['id', 'type', 'state', 'elements', 'tags', 'attribute', 'lastSeenAt', 'createdAt'],
  hasCount: true,
})

type DevicePage = ReturnType<typeof deviceList.page>

/** The query sent to the service, with a sort order that these filters allow. */
export function deviceQuery(page: DevicePage) {
  const { createdOn, serviceId, productId, groupId, importId, sort, ...rest } = withOne(
    page,
    'seen',
    deviceSeen,
  )
  const query = {
    ...rest,
    ...(createdOn !== undefined && { createdOn: firstOf(createdOn) }),
    ...(serviceId !== undefined && { serviceId: firstOf(serviceId) }),
    ...(productId !== undefined && { productId: firstOf(productId) }),
    ...(groupId !== undefined && { groupId: firstOf(groupId) }),
    ...(importId !== undefined && { importId: firstOf(importId) }),
  }
  const sorts = deviceSortsOf(query)
  return { ...query, sort: sorts.find((each) => each === sort) ?? sorts[0] ?? 'name' }
}

const firstOf = (values: string) => values.split(',')[0] ?? ''

/** Only the filters of a page, for a change to all its devices. */
export function filterOfQuery(query: ReturnType<typeof deviceQuery>) {
  const { sort: _sort, order: _order, cursor: _cursor, limit: _limit, count: _, ...filter } = query
  return filter
}
export type DeviceFilter = ReturnType<typeof filterOfQuery>
