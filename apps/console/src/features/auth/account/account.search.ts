import { accountStates, longestEmail } from '@grove/contract/auth/account.rules'
import { defaultPageSize } from '@grove/contract/page.rules'
import { defineList } from '../../../ui/table/list-definition.ts'
import { optional, textOf } from '../../../ui/table/list-search.ts'

export const accountList = defineList({
  name: 'auth.account',
  sorts: [],
  filters: { state: accountStates },
  columns: ['name', 'roles', 'state', 'createdAt', 'lastUsedAt'],
  pageSizes: [25, 50, 100, 200],
  defaultPageSize,
  longestSearch: longestEmail,
})

export const accountSearch = (search: Record<string, unknown>) =>
  optional({
    ...accountList.read(search),
    /** The account in the side panel. */
    account: textOf(search['account']),
  })

export type AccountSearch = ReturnType<typeof accountSearch>
