import type { Product } from '@grove/contract/cedar/product'
import { queryOptions } from '@tanstack/react-query'
import { queryClient } from '../../../api/query-client.ts'
import { api } from '../../../session/api.ts'
import { isKnown } from './is-known.ts'

const path = '/api/developer/product'

/** A build server may publish while its developer looks at another page. */
export const staleTime = 2000

export const productQuery = (id: string) =>
  queryOptions({
    ...api.cedar.query(`${path}/{id}`, { params: { id } }),
    // A product opened from the list shows at once, and is refetched if the list is stale.
    initialData: () => listed(id)?.product,
    initialDataUpdatedAt: () => listed(id)?.updatedAt,
    staleTime,
  })

const listed = (id: string) =>
  queryClient
    .getQueryCache()
    .findAll({ queryKey: ['cedar', path] })
    .flatMap(({ state }) => {
      const { items = [] } = (state.data ?? {}) as { items?: Product[] }
      const product = items.find(({ productId }) => productId === id)
      // A third-party service's list may lack what the page needs.
      return product && isKnown(product.newestVersion)
        ? [{ product, updatedAt: state.dataUpdatedAt }]
        : []
    })
    .toSorted((a, b) => b.updatedAt - a.updatedAt)[0]

export const refreshProducts = () => api.cedar.invalidate(path)

/** Caches a saved product and refetches the lists that show it. */
export function cacheProduct(product: Product) {
  const { queryKey } = productQuery(product.productId)
  queryClient.setQueryData(queryKey, product)
  void api.cedar.invalidate(path, { except: queryKey })
}
