import {
  mapleProductSorting,
  mapleProductStates,
} from '@grove/contract/maple/connect/product.rules'
import { defineList } from '../../../../ui/table/list-definition.ts'
import { withOne } from '../../../../ui/table/list-search.ts'

export const productList = defineList({
  name: 'maple.product',
  item: 'product',
  sorting: mapleProductSorting,
  filters: { state: mapleProductStates },
  columns: ['model', 'state', 'createdAt'],
})

/** The query sent to the service. */
export const productQuery = (page: ReturnType<typeof productList.page>) =>
  withOne(page, 'state', mapleProductStates)
