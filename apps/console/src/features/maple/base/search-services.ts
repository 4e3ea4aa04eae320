import { api } from '../../../session/api.ts'
import type { ComboboxOption } from '../../../ui/kit/combobox-options.ts'

const shown = 50

/** Active service providers by the beginning of an ID or of a word in the name. */
export async function searchServices(text: string, signal: AbortSignal): Promise<ComboboxOption[]> {
  const q = text.trim()
  const query = { limit: shown, state: 'active' as const, ...(q !== '' && { q }) }
  const { items } = await api.maple.get('/api/maple/service', { query, signal })
  return items.map(({ id, name }) => ({ id, label: name, note: id }))
}
