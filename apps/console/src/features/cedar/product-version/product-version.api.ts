import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { queryOptions } from '@tanstack/react-query'
import { queryClient } from '../../../api/query-client.ts'
import { api } from '../../../session/api.ts'
import { refreshProducts, staleTime } from '../parts/product.api.ts'
import { versionList } from './product-version.search.ts'

const path = '/api/developer/productVersion'

/** The versions of one product. */
export const versionsOf = (productId: string) => ({
  list: versionList,
  query: ({ limit, cursor }: ReturnType<typeof versionList.page>) =>
    queryOptions({
      ...api.cedar.query(path, {
        query: { productId, limit, ...(cursor !== undefined && { cursor }) },
      }),
      staleTime,
    }),
})

export const versionQuery = (id: string) =>
  queryOptions({
    ...api.cedar.query(`${path}/{id}`, { params: { id } }),
    staleTime,
    // A check that runs in another tab or for a colleague ends without notice.
    refetchInterval: ({ state }) => (state.data?.state === 'checking' ? 2000 : false),
  })

/** Refetches the versions in use: a check that was abandoned is followed to its end. */
export const refreshVersions = () => void api.cedar.invalidate(path)

/** Caches a saved version and refetches its product and its siblings, one of which may have been live. */
export function cacheVersion(version: ProductVersion) {
  const { queryKey } = versionQuery(version.productVersionId)
  queryClient.setQueryData(queryKey, version)
  void api.cedar.invalidate(path, { except: queryKey })
  void refreshProducts()
}
