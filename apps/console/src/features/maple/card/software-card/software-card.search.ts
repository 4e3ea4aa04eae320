import { cardSorting } from '@grove/contract/maple/card/software-card.rules'
import { defineList } from '../../../../ui/table/list-definition.ts'

export const cardList = defineList({
  name: 'maple.software_card',
  item: 'card',
  sorting: cardSorting,
  filters: {},
  columns: ['kind', 'state', 'faults', 'createdAt'],
})
