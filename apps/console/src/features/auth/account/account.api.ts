import { accountStates } from '@grove/contract/auth/account.rules'
import { itemsOf } from '../../../api/items.ts'
import { api } from '../../../session/api.ts'
import { oneOf } from '../../../ui/table/list-search.ts'
import { accountList } from './account.search.ts'

const path = '/api/admin/account'

export const accounts = {
  list: accountList,
  query: ({ q, state, cursor, limit }: ReturnType<typeof accountList.page>) => {
    // The service takes one state: both are as good as none.
    const one = oneOf(accountStates, state)
    return api.auth.query(path, {
      query: { limit, ...(q && { q }), ...(one && { state: one }), ...(cursor && { cursor }) },
    })
  },
  ...itemsOf((id) => api.auth.query(path, { query: { q: id } })),
}
