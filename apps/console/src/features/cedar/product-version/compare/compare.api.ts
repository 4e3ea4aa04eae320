import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../../session/api.ts'

const path = '/api/developer/productVersion'

export const differenceQuery = (versionId: string, baseId: string) =>
  queryOptions({
    ...api.cedar.query(`${path}/{id}/difference`, {
      params: { id: versionId },
      query: { with: baseId },
    }),
  })

/** Newest first, one page of them. */
export const siblingsQuery = (productId: string) =>
  api.cedar.query(path, { query: { productId, limit: 200 } })

/** One file of a version's package. A replaced package has another hash, and so another key. */
export const fileQuery = (versionId: string, filePath: string, sha256: string) =>
  queryOptions({
    queryKey: ['cedar', 'package-file', versionId, filePath, sha256],
    queryFn: async ({ signal }) => {
      const { blob } = await api.cedar.download(`${path}/{id}/file`, {
        params: { id: versionId },
        query: { path: filePath },
        signal,
      })
      return blob
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
