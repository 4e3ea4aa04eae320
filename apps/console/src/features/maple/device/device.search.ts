import {
  defaultDeviceSort,
  deviceSorts,
  deviceStates,
  deviceTypes,
} from '@grove/contract/maple/device.rules'
import { defaultPageSize } from '@grove/contract/page.rules'
import { defineList } from '../../../ui/table/list-definition.ts'
import { optional, textOf } from '../../../ui/table/list-search.ts'

export const deviceList = defineList({
  name: 'maple.device',
  sorts: deviceSorts,
  defaultSort: defaultDeviceSort,
  filters: { type: deviceTypes, state: deviceStates },
  columns: ['id', 'type', 'state', 'elements', 'lastSeenAt', 'createdAt'],
  pageSizes: [25, 50, 100, 200],
  defaultPageSize,
  hasCount: true,
})

/** Everything that the page shows, as the address holds it. */
export const deviceSearch = (search: Record<string, unknown>) =>
  optional({
    ...deviceList.read(search),
    /** The device in the side panel; with `edit`, its form. */
    device: textOf(search['device']),
    edit: search['edit'] === true || undefined,
    create: search['create'] === true || undefined,
  })

export type DeviceSearch = ReturnType<typeof deviceSearch>
