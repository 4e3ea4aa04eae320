import { maxNamedAccounts } from '@grove/contract/auth/account.rules'
import { api } from '../session/api.ts'

const most = 50

/** People by the beginning of their email, or by words in their name or email. */
export async function findPeople(text: string, signal: AbortSignal) {
  const query = { q: text.trim(), limit: most }
  return (await api.auth.get('/api/admin/account', { query, signal })).items
}

export async function findByIds(ids: readonly string[], signal: AbortSignal) {
  if (ids.length === 0) return []
  const query = { ids: ids.join(','), limit: maxNamedAccounts }
  return (await api.auth.get('/api/admin/account', { query, signal })).items
}
