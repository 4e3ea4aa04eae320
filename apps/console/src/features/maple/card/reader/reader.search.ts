import { defineList } from '../../../../ui/table/list-definition.ts'

export const readerList = defineList({
  name: 'maple.reader',
  item: 'reader',
  filters: {},
  columns: ['state', 'card', 'place', 'connectedAt', 'addedBy'],
})
