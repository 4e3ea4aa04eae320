import { defineList } from '../../../../ui/table/list-definition.ts'

export const importList = defineList({
  name: 'maple.import',
  item: 'import',
  columns: ['state', 'created', 'changed', 'unchanged', 'wrong', 'createdAt'],
})
