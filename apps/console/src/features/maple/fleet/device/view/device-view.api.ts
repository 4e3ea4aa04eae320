import { invalidate } from '../../../../../api/query-client.ts'
import { api } from '../../../../../session/api.ts'

const path = '/api/maple/device/view'

export const deviceViews = {
  query: () => api.maple.query(path),
  refresh: () => invalidate('maple', path),
}
