import { itemsOf } from '../../../api/items.ts'
import { api } from '../../../session/api.ts'
import { deviceList } from './device.search.ts'

const path = '/api/maple/device'

export const devices = {
  list: deviceList,
  query: (page: ReturnType<typeof deviceList.page>) => api.maple.query(path, { query: page }),
  ...itemsOf((id) => api.maple.query(path, { query: { id } })),
}
