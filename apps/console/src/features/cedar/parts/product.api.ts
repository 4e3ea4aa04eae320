import type { Product, ProductVersion } from '@grove/contract'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { queryClient } from '../../../api/query-client.ts'
import type { InputOf } from '../../../api/types.ts'
import { api } from '../../../session/api.ts'

const products = '/api/developer/product'
const versions = '/api/developer/productVersion'

type ListQuery = NonNullable<InputOf<'GET', typeof products>['query']>

export const productPageSize = 20
export const versionPageSize = 20

export const productListQuery = (query: ListQuery) =>
  queryOptions({
    ...api.cedar.query(products, { query: { ...query, limit: productPageSize } }),
    placeholderData: keepPreviousData,
  })

export const productQuery = (id: string) =>
  queryOptions({
    ...api.cedar.query(`${products}/{id}`, { params: { id } }),
    // A product opened from the list is on the page at once, and refetched if the list is old.
    initialData: () => listed(id)?.product,
    initialDataUpdatedAt: () => listed(id)?.updatedAt,
  })

const listed = (id: string) =>
  queryClient
    .getQueryCache()
    .findAll({ queryKey: ['cedar', products] })
    .flatMap(({ state }) => {
      const { items = [] } = (state.data ?? {}) as { items?: Product[] }
      const product = items.find(({ productId }) => productId === id)
      return product ? [{ product, updatedAt: state.dataUpdatedAt }] : []
    })
    .toSorted((a, b) => b.updatedAt - a.updatedAt)[0]

export const releaseListQuery = (id: string) =>
  api.cedar.query(`${products}/{id}/release`, { params: { id }, query: { limit: 20 } })

export const versionListQuery = (productId: string, cursor?: string) =>
  queryOptions({
    ...api.cedar.query(versions, {
      query: { productId, limit: versionPageSize, ...(cursor !== undefined && { cursor }) },
    }),
    placeholderData: keepPreviousData,
  })

export const versionQuery = (id: string) =>
  queryOptions({
    ...api.cedar.query(`${versions}/{id}`, { params: { id } }),
    // A check that runs elsewhere, in another tab or for a colleague, ends without notice.
    refetchInterval: ({ state }) => (state.data?.state === 'checking' ? 2000 : false),
  })

export const providersQuery = queryOptions({
  ...api.cedar.query('/api/provider'),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Caches a saved product and refetches the lists that show it. */
export function cacheProduct(product: Product) {
  const { queryKey } = productQuery(product.productId)
  queryClient.setQueryData(queryKey, product)
  void api.cedar.invalidate(products, { except: queryKey })
}

/** Caches a saved version and refetches its product and its siblings, which may have been live. */
export function cacheVersion(version: ProductVersion) {
  const { queryKey } = versionQuery(version.productVersionId)
  queryClient.setQueryData(queryKey, version)
  void api.cedar.invalidate(versions, { except: queryKey })
  void api.cedar.invalidate(products)
}
