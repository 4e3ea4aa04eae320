import { itemsOf } from '../../../api/items.ts'
import { api } from '../../../session/api.ts'
import { accountList, accountQuery } from './account.search.ts'

const path = '/api/maple/account'

export const accounts = {
  list: accountList,
  query: (page: ReturnType<typeof accountList.page>) =>
    api.maple.query(path, { query: accountQuery(page) }),
  ...itemsOf((id) => api.maple.query(path, { query: { q: id } })),
}
