import { ApiProblem } from '../../../../api/problem.ts'
import { itemsOf } from '../../../../api/items.ts'
import { invalidate } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'
import { accountList, accountQuery } from './account.search.ts'

const path = '/api/maple/account'

const items = itemsOf((id) => api.maple.query(path, { query: { q: id } }))

export const accounts = {
  ...items,
  list: accountList,
  query: (page: ReturnType<typeof accountList.page>) =>
    api.maple.query(path, { query: accountQuery(page) }),
  /** A change is also in the history of the account. */
  refresh: (saved?: Parameters<typeof items.refresh>[0]) =>
    Promise.all([items.refresh(saved), invalidate('maple', '/api/maple/event')]),
}

const maxExpiring = 5

/** The accounts that expire next. */
export const expiringQuery = () =>
  api.maple.query(path, {
    query: { validity: 'expiring', sort: 'expiresAt', order: 'asc', limit: maxExpiring },
  })

/** The table of roles and rights, as the service enforces it. */
export const rolesQuery = () => api.maple.query('/api/maple/roles')

/** What one account may do, and by which of its roles. */
export const rightsQuery = (id: string) =>
  api.maple.query('/api/maple/account/rights', { query: { id } })

/** The service providers to choose from: the first by name. */
export const providersQuery = () => api.maple.query('/api/maple/service', { query: { limit: 100 } })

/** What happened to an account, the newest first. */
export const historyQuery = (id: string) =>
  api.maple.query('/api/maple/event', { query: { subject: id, limit: 20 } })

/** The user whom an id or an email names. @throws ApiProblem of the field when there is none. */
export async function userIdOf(text: string, message: string): Promise<string> {
  if (!text.includes('@')) return text
  const { items } = await api.auth.get('/api/admin/account', { query: { q: text, limit: 2 } })
  const found = items.find(({ email }) => email?.toLowerCase() === text.toLowerCase())
  if (found) return found.id
  throw new ApiProblem(
    { code: 'invalid_request', errors: [{ path: 'id', code: 'exists', message }] },
    400,
  )
}
