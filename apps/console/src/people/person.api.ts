import type { Account } from '@grove/contract/auth/account-admin'
import { maxNamedAccounts } from '@grove/contract/auth/account.rules'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../session/api.ts'

const path = '/api/admin/account'

interface Waiting {
  resolve: (person: Account | null) => void
  reject: (reason: unknown) => void
}
const waiting = new Map<string, Waiting[]>()

/** Looks up everyone that a page needs while it renders, in one call. */
function find(id: string): Promise<Account | null> {
  if (waiting.size === 0) setTimeout(() => void findWaiting())
  return new Promise((resolve, reject) => {
    waiting.set(id, [...(waiting.get(id) ?? []), { resolve, reject }])
  })
}

async function findWaiting() {
  const asked = [...waiting]
  waiting.clear()
  for (let first = 0; first < asked.length; first += maxNamedAccounts)
    await answer(asked.slice(first, first + maxNamedAccounts))
}

async function answer(asked: readonly (readonly [id: string, Waiting[]])[]) {
  const ids = asked.map(([id]) => id)
  try {
    const query = { ids: ids.join(','), limit: maxNamedAccounts }
    const { items } = await api.auth.get(path, { query })
    for (const [id, each] of asked)
      for (const { resolve } of each) resolve(items.find((person) => person.id === id) ?? null)
  } catch (error) {
    for (const [, each] of asked) for (const { reject } of each) reject(error)
  }
}

const namesLastMs = 5 * 60_000

/** The person behind a user ID, in lower case; null: no account has it. */
export const personQuery = (id: string) =>
  queryOptions({
    // Nested under the list's path, so that a change to an account is reflected here too.
    queryKey: ['auth', path, { person: id }] as const,
    queryFn: () => find(id),
    staleTime: namesLastMs,
    retry: false,
  })
