import type { MapleRole } from '@grove/contract/maple/access/account'
import { itemsOf } from '../../../../api/items.ts'
import { invalidate } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'
import { accountList, accountQuery } from './account.search.ts'

const path = '/api/maple/account'

/** A page of the list. The service searches by ID, so an email address is looked up first. */
function listQuery(page: ReturnType<typeof accountList.page>) {
  const { q, ...query } = accountQuery(page)
  const found = api.maple.query(path, { query: { ...query, ...(q !== undefined && { q }) } })
  if (q === undefined || /^[\da-f-]*$/i.test(q.trim())) return found
  return {
    ...found,
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const { findPeople } = await import('../../../../people/find-people.ts')
      const people = await findPeople(q, signal)
      const ids = people.map(({ id }) => id).join(',')
      return ids === ''
        ? { items: [], next: null, previous: null, count: { value: 0, isCapped: false } }
        : api.maple.get(path, { query: { ...query, ids }, signal })
    },
  }
}

const items = itemsOf((id) => api.maple.query(path, { query: { q: id } }))

export const accounts = {
  ...items,
  list: accountList,
  query: listQuery,
  /** A change also shows in the history of the account. */
  refresh: (saved?: Parameters<typeof items.refresh>[0]) =>
    Promise.all([items.refresh(saved), invalidate('maple', '/api/maple/event')]),
}

const maxExpiring = 5

/** The accounts that expire next. */
export const expiringQuery = () =>
  api.maple.query(path, {
    query: { validity: 'expiring', sort: 'expiresAt', order: 'asc', limit: maxExpiring },
  })

/** Whether the service describes its roles: a third-party one may only name them. */
export const isRightsKnown = (roles: readonly Partial<MapleRole>[] | undefined): boolean =>
  roles?.some(({ rights }) => rights !== undefined) ?? false

/** The table of roles and rights, as the service enforces it. */
export const rolesQuery = () => api.maple.query('/api/maple/roles')

/** What one account may do, and through which of its roles. */
export const rightsQuery = (id: string) =>
  api.maple.query('/api/maple/account/rights', { query: { id } })

/** The service providers to choose from: the first ones by name. */
export const providersQuery = () => api.maple.query('/api/maple/service', { query: { limit: 100 } })

/** The history of an account, newest first. */
export const historyQuery = (id: string) =>
  api.maple.query('/api/maple/event', { query: { subject: id, limit: 20 } })
