import { itemsOf } from '../../../api/items.ts'
import { api } from '../../../session/api.ts'
import { publishKeyList } from './publish-key.search.ts'

const path = '/api/developer/publishKey'

export const publishKeys = {
  list: publishKeyList,
  query: (page: ReturnType<typeof publishKeyList.page>) => api.cedar.query(path, { query: page }),
  ...itemsOf((id) => api.cedar.query(path, { query: { q: id } })),
}
