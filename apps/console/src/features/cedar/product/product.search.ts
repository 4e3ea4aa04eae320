import { isUuid } from '@grove/auth-client/rules'
import {
  defaultProductSort,
  productSorts,
  productStatuses,
} from '@grove/contract/cedar/product.rules'
import { defaultPageSize } from '@grove/contract/page.rules'
import { defineList } from '../../../ui/table/list-definition.ts'
import { oneOf, optional } from '../../../ui/table/list-search.ts'

export const productList = defineList({
  name: 'cedar.product',
  sorts: productSorts,
  defaultSort: defaultProductSort,
  filters: { status: productStatuses, providerId: isUuid },
  columns: ['live', 'newest', 'locales', 'createdAt', 'updatedAt'],
  pageSizes: [25, 50, 100, 200],
  defaultPageSize,
})

/** Everything that the page shows, as the address holds it. */
export const productSearch = (search: Record<string, unknown>) =>
  optional({
    ...productList.read(search),
    /** The form of a new app. */
    create: search['create'] === true || undefined,
  })

export type ProductSearch = ReturnType<typeof productSearch>

/** What the service is asked for: it takes one value of a filter, and all are as good as none. */
export function productQuery({ status, providerId, ...page }: ReturnType<typeof productList.page>) {
  const oneStatus = oneOf(productStatuses, status)
  const oneProvider = providerId?.includes(',') ? undefined : providerId
  return {
    ...page,
    ...(oneStatus && { status: oneStatus }),
    ...(oneProvider && { providerId: oneProvider }),
  }
}
