import { accountValidities } from '@grove/contract/maple/account.rules'
import { itemsOf } from '../../../api/items.ts'
import { api } from '../../../session/api.ts'
import { oneOf } from '../../../ui/table/list-search.ts'
import { accountList } from './account.search.ts'

const path = '/api/maple/account'

export const accounts = {
  list: accountList,
  query: ({ validity, ...page }: ReturnType<typeof accountList.page>) => {
    // The service takes one value: both are as good as none.
    const one = oneOf(accountValidities, validity)
    return api.maple.query(path, { query: { ...page, ...(one && { validity: one }) } })
  },
  ...itemsOf((id) => api.maple.query(path, { query: { q: id } })),
}
