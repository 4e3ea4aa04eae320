import {
  accountSorts,
  accountValidities,
  defaultAccountSort,
} from '@grove/contract/maple/account.rules'
import { defaultPageSize } from '@grove/contract/page.rules'
import { defineList } from '../../../ui/table/list-definition.ts'
import { oneOf } from '../../../ui/table/list-search.ts'

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

/** What the service is asked for: it takes one value, and both are as good as none. */
export function accountQuery({ validity, ...page }: ReturnType<typeof accountList.page>) {
  const one = oneOf(accountValidities, validity)
  return { ...page, ...(one && { validity: one }) }
}
