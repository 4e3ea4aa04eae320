import { isUuid } from '@grove/auth-client/rules'
import { ApiProblem } from '../api/problem.ts'
import type { ComboboxOption } from '../ui/kit/combobox-options.ts'
import { findPeople } from './find-people.ts'

/**
 * People by words of a name or an address, or by an id that was pasted. An id that nobody here has is
 * offered as it is: people of an authentication service elsewhere are known by it alone.
 */
export async function searchPeople(text: string, signal: AbortSignal): Promise<ComboboxOption[]> {
  const typed = text.trim()
  const people = await findPeople(typed, signal).catch((error: unknown) => {
    // Another authentication service may not list people.
    if (error instanceof ApiProblem && error.status === 404) return undefined
    throw error
  })
  const found = (people ?? []).map(({ id, email, name, roles }) => ({
    id,
    label: email ?? name ?? id,
    note: [email !== null && name, roles.join(', ')].filter(Boolean).join(' · '),
  }))
  const isOffered = typed !== '' && found.length === 0 && (people === undefined || isUuid(typed))
  return isOffered ? [{ id: typed, label: typed }] : found
}
