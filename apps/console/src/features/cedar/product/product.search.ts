import { isUuid } from '@grove/auth-client'
import { listView, oneOf, textOf, optional } from '../../../ui/table/list-search.ts'

export const productStatuses = ['live', 'draft'] as const

/** The list's state as the address holds it. */
export const productSearch = (search: Record<string, unknown>) => {
  const providerId = textOf(search['providerId'])
  return optional({
    ...listView(search, {
      sorts: ['title', 'updatedAt', 'createdAt'],
      columns: ['live', 'newest', 'locales', 'createdAt', 'updatedAt'],
    }),
    q: textOf(search['q']),
    status: oneOf(productStatuses, search['status']),
    providerId: providerId !== undefined && isUuid(providerId) ? providerId : undefined,
  })
}

export type ProductSearch = ReturnType<typeof productSearch>

/** The part of it that the service answers. */
export const listQueryOf = ({ q, status, providerId, sort, order, cursor }: ProductSearch) =>
  optional({ q, status, providerId, sort, order, cursor })
