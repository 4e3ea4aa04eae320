import { accountStates } from '@grove/contract/auth/account.rules'
import { itemsOf } from '../../../api/items.ts'
import { api } from '../../../session/api.ts'
import { withOne } from '../../../ui/table/list-search.ts'
import { accountList } from './account.search.ts'

const path = '/api/admin/account'

export const accounts = {
  list: accountList,
  query: (page: ReturnType<typeof accountList.page>) =>
    api.auth.query(path, { query: withOne(page, 'state', accountStates) }),
  ...itemsOf((id) => api.auth.query(path, { query: { q: id } })),
}
