import { productStatuses } from '@grove/contract/cedar/product.rules'
import { queryOptions } from '@tanstack/react-query'
import type { AnswerOf } from '../../../api/types.ts'
import { api } from '../../../session/api.ts'
import { oneOf } from '../../../ui/table/list-search.ts'
import { productList } from './product.search.ts'

const path = '/api/developer/product'
type ProductPage = AnswerOf<'GET', typeof path>

/** Somebody else's Cedar may answer with a bare list: it is the only page. */
export const asPage = (answer: ProductPage | ProductPage['items']): ProductPage =>
  Array.isArray(answer) ? { items: answer, next: null, previous: null } : answer

export const products = {
  list: productList,
  query: ({ status, providerId, ...page }: ReturnType<typeof productList.page>) => {
    // The service takes one value: all of them are as good as none.
    const oneStatus = oneOf(productStatuses, status)
    const oneProvider = providerId?.includes(',') ? undefined : providerId
    const options = api.cedar.query(path, {
      query: {
        ...page,
        ...(oneStatus && { status: oneStatus }),
        ...(oneProvider && { providerId: oneProvider }),
      },
    })
    return { ...options, select: asPage }
  },
}

export const providersQuery = queryOptions({
  ...api.cedar.query('/api/provider'),
  staleTime: Number.POSITIVE_INFINITY,
})

export const releaseListQuery = (id: string) =>
  api.cedar.query(`${path}/{id}/release`, { params: { id }, query: { limit: 20 } })
