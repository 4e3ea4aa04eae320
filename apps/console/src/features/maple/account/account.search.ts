import {
  accountSorts,
  accountValidities,
  defaultAccountSort,
} from '@grove/contract/maple/account.rules'
import { defaultPageSize } from '@grove/contract/page.rules'
import { defineList } from '../../../ui/table/list-definition.ts'
import { optional, textOf } from '../../../ui/table/list-search.ts'

export const accountList = defineList({
  name: 'maple.account',
  sorts: accountSorts,
  defaultSort: defaultAccountSort,
  filters: { validity: accountValidities },
  columns: ['roles', 'validity', 'expiresAt', 'createdAt'],
  pageSizes: [25, 50, 100, 200],
  defaultPageSize,
})

/** Everything that the page shows, as the address holds it. */
export const accountSearch = (search: Record<string, unknown>) =>
  optional({
    ...accountList.read(search),
    /** The account in the side panel; with `edit`, its form. */
    account: textOf(search['account']),
    edit: search['edit'] === true || undefined,
    create: search['create'] === true || undefined,
  })

export type AccountSearch = ReturnType<typeof accountSearch>
