import type { Product, ProductVersion } from '@grove/contract'
import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query'
import { api } from '../../../session/api.ts'
import type { OptionsOf } from '../../../api/types.ts'

type ListQuery = NonNullable<OptionsOf<'GET', '/api/developer/product'>['query']>

export const productPageSize = 20
export const versionPageSize = 20

export const productListQuery = (query: ListQuery) =>
  queryOptions({
    queryKey: ['products', query],
    queryFn: ({ signal }) =>
      api.cedar.get('/api/developer/product', {
        query: { ...query, limit: productPageSize },
        signal,
      }),
    placeholderData: keepPreviousData,
  })

export const productQuery = (id: string) =>
  queryOptions({
    queryKey: ['product', id],
    queryFn: ({ signal }) =>
      api.cedar.get('/api/developer/product/{id}', { params: { id }, signal }),
  })

export const versionListQuery = (productId: string, cursor?: string) =>
  queryOptions({
    queryKey: ['versions', productId, cursor ?? null],
    queryFn: ({ signal }) =>
      api.cedar.get('/api/developer/productVersion', {
        query: { productId, limit: versionPageSize, ...(cursor === undefined ? {} : { cursor }) },
        signal,
      }),
    placeholderData: keepPreviousData,
  })

export const versionQuery = (id: string) =>
  queryOptions({
    queryKey: ['version', id],
    queryFn: ({ signal }) =>
      api.cedar.get('/api/developer/productVersion/{id}', { params: { id }, signal }),
    // A check that runs elsewhere, in another tab or by a colleague, ends without a word to us.
    refetchInterval: ({ state }) => (state.data?.state === 'checking' ? 2000 : false),
  })

export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: ({ signal }) => api.cedar.get('/api/provider', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

/** The lists that show a product are old once it changed. */
export function keepProduct(queryClient: QueryClient, product: Product) {
  queryClient.setQueryData(productQuery(product.productId).queryKey, product)
  void queryClient.invalidateQueries({ queryKey: ['products'] })
}

/** A version's change shows in its product too: which one is live, which is the newest. */
export function keepVersion(queryClient: QueryClient, version: ProductVersion) {
  queryClient.setQueryData(versionQuery(version.productVersionId).queryKey, version)
  void queryClient.invalidateQueries({ queryKey: ['versions', version.productId] })
  void queryClient.invalidateQueries({ queryKey: ['product', version.productId] })
  void queryClient.invalidateQueries({ queryKey: ['products'] })
}

/** Another version may have been live before: what is known of the product's versions is old. */
export function forgetVersions(queryClient: QueryClient, productId: string) {
  void queryClient.invalidateQueries({
    predicate: ({ queryKey: [kind], state }) =>
      kind === 'version' && (state.data as ProductVersion | undefined)?.productId === productId,
  })
}
