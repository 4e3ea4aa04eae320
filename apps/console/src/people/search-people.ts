import { isUuid } from '@grove/auth-client/rules'
import { ApiProblem } from '../api/problem.ts'
import type { ComboboxOption } from '../ui/kit/combobox-options.ts'
import { findPeople } from './find-people.ts'

/**
 * People by words in a name or email, or by a pasted ID. An unknown ID is offered as it is: people of
 * an external authentication service are known only by ID.
 */
export async function searchPeople(text: string, signal: AbortSignal): Promise<ComboboxOption[]> {
  const typed = text.trim()
  const people = await findPeople(typed, signal).catch((error: unknown) => {
    // A third-party authentication service may not list people.
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
