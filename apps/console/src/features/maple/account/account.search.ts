import { accountSorting, accountValidities } from '@grove/contract/maple/account.rules'
import { defineList } from '../../../ui/table/list-definition.ts'
import { withOne } from '../../../ui/table/list-search.ts'

export const accountList = defineList({
  name: 'maple.account',
  item: 'account',
  sorting: accountSorting,
  filters: { validity: accountValidities },
  columns: ['roles', 'state', 'expiresAt', 'createdAt'],
})

/** What the service is asked for. */
export const accountQuery = (page: ReturnType<typeof accountList.page>) =>
  withOne(page, 'validity', accountValidities)
