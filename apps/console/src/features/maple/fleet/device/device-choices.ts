import { api } from '../../../../session/api.ts'
import type { ComboboxOption } from '../../../../ui/kit/combobox-options.ts'

const shown = 50

/** Maple accounts by the beginning of an id. */
export async function searchAccounts(text: string, signal: AbortSignal): Promise<ComboboxOption[]> {
  const q = text.trim()
  const query = { limit: shown, ...(q !== '' && { q }) }
  const { items } = await api.maple.get('/api/maple/account', { query, signal })
  return items.map(({ id, roles }) => ({ id, label: id, note: roles.join(', ') }))
}
