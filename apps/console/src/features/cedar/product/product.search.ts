import { isUuid } from '@grove/auth-client'
import { productSorts, productStatuses } from '@grove/contract/cedar/product.rules'
import { listView, oneOf, textOf, optional } from '../../../ui/table/list-search.ts'

/** The list's state, as the URL holds it. */
export const productSearch = (search: Record<string, unknown>) => {
  const providerId = textOf(search['providerId'])
  return optional({
    ...listView(search, {
      sorts: productSorts,
      columns: ['live', 'newest', 'locales', 'createdAt', 'updatedAt'],
    }),
    q: textOf(search['q']),
    status: oneOf(productStatuses, search['status']),
    providerId: providerId !== undefined && isUuid(providerId) ? providerId : undefined,
  })
}

export type ProductSearch = ReturnType<typeof productSearch>

/** The part that the service answers. */
export const listQueryOf = ({ q, status, providerId, sort, order, cursor }: ProductSearch) =>
  optional({ q, status, providerId, sort, order, cursor })
