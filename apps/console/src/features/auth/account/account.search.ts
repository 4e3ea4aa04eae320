import { accountStates, longestEmail } from '@grove/contract/auth/account.rules'
import { defaultPageSize } from '@grove/contract/page.rules'
import { defineList } from '../../../ui/table/list-definition.ts'

export const accountList = defineList({
  name: 'auth.account',
  item: 'account',
  sorts: [],
  filters: { state: accountStates },
  columns: ['name', 'roles', 'state', 'createdAt', 'lastUsedAt'],
  pageSizes: [25, 50, 100, 200],
  defaultPageSize,
  longestSearch: longestEmail,
})
