import { deviceSorting, deviceStates, deviceTypes } from '@grove/contract/maple/device.rules'
import { defineList } from '../../../ui/table/list-definition.ts'

export const deviceList = defineList({
  name: 'maple.device',
  item: 'device',
  sorting: deviceSorting,
  filters: { type: deviceTypes, state: deviceStates },
  columns: ['id', 'type', 'state', 'elements', 'lastSeenAt', 'createdAt'],
  hasCount: true,
})
