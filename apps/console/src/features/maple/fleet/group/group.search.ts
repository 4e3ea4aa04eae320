import { groupKinds, groupSorting } from '@grove/contract/maple/fleet/group.rules'
import { defineList } from '../../../../ui/table/list-definition.ts'
import { withOne } from '../../../../ui/table/list-search.ts'

export const groupList = defineList({
  name: 'maple.group',
  item: 'group',
  sorting: groupSorting,
  filters: { kind: groupKinds },
  columns: ['kind', 'size', 'description', 'createdAt'],
})

/** The query sent to the service. */
export const groupPage = (page: ReturnType<typeof groupList.page>) =>
  withOne(page, 'kind', groupKinds)
