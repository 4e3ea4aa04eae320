import { itemsOf } from '../../../../api/items.ts'
import { api } from '../../../../session/api.ts'
import { groupQuery, path } from '../group.api.ts'
import { groupList, groupPage } from './group.search.ts'

export const groups = {
  list: groupList,
  query: (page: ReturnType<typeof groupList.page>) =>
    api.maple.query(path, { query: groupPage(page) }),
  ...itemsOf(groupQuery),
}

export const shownDevices = 20
/** The first devices of a group, and the total. */
export const devicesQuery = (groupId: string) =>
  api.maple.query('/api/maple/device', { query: { groupId, limit: shownDevices, count: true } })

/** Devices by the beginning of an ID or of words in the name. */
export async function searchDevices(text: string, signal: AbortSignal) {
  const q = text.trim()
  const query = { limit: 20, ...(q !== '' && { q }) }
  const { items } = await api.maple.get('/api/maple/device', { query, signal })
  return items.map(({ id, name }) => ({ id, label: name, note: id }))
}

export async function searchProducts(text: string, signal: AbortSignal) {
  const q = text.trim()
  const query = { limit: 20, ...(q !== '' && { q }) }
  const { items } = await api.maple.get('/api/maple/products', { query, signal })
  return items.map(({ id, name, model }) => ({ id, label: name, ...(model && { note: model }) }))
}

export const productQuery = (id: string) =>
  api.maple.query('/api/maple/products', { query: { id } })
