import {
  defaultDeviceSort,
  deviceSorts,
  deviceStates,
  deviceTypes,
} from '@grove/contract/maple/device.rules'
import { defaultPageSize } from '@grove/contract/page.rules'
import { defineList } from '../../../ui/table/list-definition.ts'

export const deviceList = defineList({
  name: 'maple.device',
  item: 'device',
  sorts: deviceSorts,
  defaultSort: defaultDeviceSort,
  filters: { type: deviceTypes, state: deviceStates },
  columns: ['id', 'type', 'state', 'elements', 'lastSeenAt', 'createdAt'],
  pageSizes: [25, 50, 100, 200],
  defaultPageSize,
  hasCount: true,
})
