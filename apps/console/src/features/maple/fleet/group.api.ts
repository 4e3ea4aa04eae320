import { invalidate } from '../../../api/query-client.ts'
import { api } from '../../../session/api.ts'
import type { ComboboxOption } from '../../../ui/kit/combobox-options.ts'

export const path = '/api/maple/group'

export const groupQuery = (id: string) => api.maple.query(path, { query: { id } })

const found = (text: string) => ({ limit: 50, ...(text.trim() !== '' && { q: text.trim() }) })

/** Groups by the beginnings of words in their name. */
export async function searchGroups(text: string, signal: AbortSignal): Promise<ComboboxOption[]> {
  const { items } = await api.maple.get(path, { query: found(text), signal })
  return items.map(({ id, name, description }) => ({
    id,
    label: name,
    ...(description !== '' && { note: description }),
  }))
}

/** Those that devices can be added to. */
export async function searchLists(text: string, signal: AbortSignal): Promise<ComboboxOption[]> {
  const { items } = await api.maple.get(path, { query: { ...found(text), kind: 'list' }, signal })
  return items.map(({ id, name }) => ({ id, label: name }))
}

export const changeGroup = (id: string, body: { add: string[] } | { remove: string[] }) =>
  api.maple.post(`${path}/{id}/devices`, { params: { id }, body })

/** Refetches groups and their devices. */
export const refreshDevices = () =>
  Promise.all([invalidate('maple', path), invalidate('maple', '/api/maple/device')])
