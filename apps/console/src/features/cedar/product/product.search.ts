import { isUuid } from '@grove/auth-client/rules'
import { productSorting, productStatuses } from '@grove/contract/cedar/product.rules'
import { defineList } from '../../../ui/table/list-definition.ts'
import { optional, withOne } from '../../../ui/table/list-search.ts'

export const productList = defineList({
  name: 'cedar.product',
  sorting: productSorting,
  filters: { status: productStatuses, providerId: isUuid },
  columns: ['live', 'newest', 'locales', 'link', 'opens', 'createdAt', 'updatedAt'],
})

/** The page's state, as the URL holds it. */
export const productSearch = (search: Record<string, unknown>) =>
  optional({
    ...productList.read(search),
    /** Opens the form for a new app. */
    create: search['create'] === true || undefined,
  })

export type ProductSearch = ReturnType<typeof productSearch>

/** The query sent to the service: a filter takes one value, and choosing all equals choosing none. */
export const productQuery = ({ providerId, ...page }: ReturnType<typeof productList.page>) => ({
  ...withOne(page, 'status', productStatuses),
  ...(providerId && !providerId.includes(',') && { providerId }),
})
