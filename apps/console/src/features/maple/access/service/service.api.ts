import { itemsOf } from '../../../../api/items.ts'
import { api } from '../../../../session/api.ts'
import { serviceList, serviceQuery } from './service.search.ts'

const path = '/api/maple/service'

export const services = {
  list: serviceList,
  query: (page: ReturnType<typeof serviceList.page>) =>
    api.maple.query(path, { query: serviceQuery(page) }),
  ...itemsOf((id) => api.maple.query(path, { query: { id } })),
}

/** What uses a service provider, and therefore prevents its deletion. */
export const impactQuery = (id: string) =>
  api.maple.query('/api/maple/service/impact', { query: { id } })

export const activityQuery = (id: string) =>
  api.maple.query('/api/maple/service/activity', { query: { id } })

/** The number of accounts a panel lists. */
export const maxMembers = 10
export const membersQuery = (id: string) =>
  api.maple.query('/api/maple/account', { query: { serviceId: id, limit: maxMembers } })
