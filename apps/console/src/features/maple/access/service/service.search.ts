import { serviceSorting, serviceStates } from '@grove/contract/maple/access/service.rules'
import { defineList } from '../../../../ui/table/list-definition.ts'
import { withOne } from '../../../../ui/table/list-search.ts'

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
