import {
  deviceHandlerSorting,
  deviceHandlerStates,
} from '@grove/contract/maple/program/device-handler.rules'
import { defineList } from '../../../../ui/table/list-definition.ts'
import { withOne } from '../../../../ui/table/list-search.ts'

export const deviceHandlerList = defineList({
  name: 'maple.device_handler',
  item: 'handler',
  sorting: deviceHandlerSorting,
  filters: { state: deviceHandlerStates },
  columns: ['note', 'version', 'updatedAt'],
})

/** The query sent to the service. */
export const listQuery = (page: ReturnType<typeof deviceHandlerList.page>) =>
  withOne(page, 'state', deviceHandlerStates)
