import type { Product } from '@grove/contract/cedar/product'
import type { AnswerOf } from '../../../api/types.ts'
import { api } from '../../../session/api.ts'
import { productList, productQuery } from './product.search.ts'

const path = '/api/developer/product'
type ProductPage = AnswerOf<'GET', typeof path>

/** A third-party Cedar may answer with a bare list: it is the only page. */
export const asPage = (answer: ProductPage | ProductPage['items']): ProductPage =>
  Array.isArray(answer) ? { items: answer, next: null, previous: null } : answer

export const products = {
  list: productList,
  idOf: ({ productId }: Product) => productId,
  query: (page: ReturnType<typeof productList.page>) => ({
    ...api.cedar.query(path, { query: productQuery(page) }),
    select: asPage,
  }),
}
