import {
  accountSorts,
  accountValidities,
  defaultAccountSort,
} from '@grove/contract/maple/account.rules'
import { defaultPageSize } from '@grove/contract/page.rules'
import { defineList } from '../../../ui/table/list-definition.ts'

export const accountList = defineList({
  name: 'maple.account',
  item: 'account',
  sorts: accountSorts,
  defaultSort: defaultAccountSort,
  filters: { validity: accountValidities },
  columns: ['roles', 'validity', 'expiresAt', 'createdAt'],
  pageSizes: [25, 50, 100, 200],
  defaultPageSize,
})
