import { scriptSorting } from '@grove/contract/maple/program/script.rules'
import { defineList } from '../../../../ui/table/list-definition.ts'

export const scriptList = defineList({
  name: 'maple.script',
  item: 'script',
  sorting: scriptSorting,
  filters: {},
  columns: ['note', 'version', 'updatedAt'],
})
