import { serviceSorting, serviceStates } from '@grove/contract/maple/access/service.rules'
import { defineList } from '../../../../ui/table/list-definition.ts'
import { oneOf, optional, withOne } from '../../../../ui/table/list-search.ts'

export const serviceList = defineList({
  name: 'maple.service',
  item: 'provider',
  sorting: serviceSorting,
  filters: { state: serviceStates },
  columns: ['id', 'state', 'createdAt'],
})

/** The query sent to the service. */
export const serviceQuery = (page: ReturnType<typeof serviceList.page>) =>
  withOne(page, 'state', serviceStates)

/** The tabs of a service provider; its overview needs no name. */
const tabs = ['accounts', 'keys', 'activity'] as const
export type ServiceTab = 'overview' | (typeof tabs)[number]

export const serviceSearch = (search: Record<string, unknown>) =>
  optional({ ...serviceList.read(search), tab: oneOf(tabs, search['tab']) })
