import { findPeople, findByIds } from '../../../../people/find-people.ts'
import { api } from '../../../../session/api.ts'
import type { ComboboxOption } from '../../../../ui/kit/combobox-options.ts'

const shown = 50

/** Maple accounts by the person's email, or by the beginning of an ID. */
export async function searchAccounts(text: string, signal: AbortSignal): Promise<ComboboxOption[]> {
  const q = text.trim()
  const isId = /^[\da-f-]*$/i.test(q)
  const people = isId ? [] : await findPeople(q, signal)
  if (!isId && people.length === 0) return []
  const ids = people.map(({ id }) => id).join(',')
  const query = { limit: shown, ...(isId ? q !== '' && { q } : { ids }) }
  const { items } = await api.maple.get('/api/maple/account', { query, signal })
  // Only administrators may look up names; others see IDs.
  const named = isId
    ? await findByIds(
        items.map(({ id }) => id),
        signal,
      ).catch(() => [])
    : people
  return items.map(({ id, roles }) => ({
    id,
    label: named.find((person) => person.id === id)?.email ?? id,
    note: roles.join(', '),
  }))
}
