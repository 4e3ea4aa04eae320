import { queryOptions } from '@tanstack/react-query'
import type { CatalogueSearch } from './catalogue-search.ts'
import { publicApi } from './public-api.ts'

/** Full rows in one, two, three and four columns. */
const pageSize = 24

export const catalogueQuery = ({ q, cursor }: Pick<CatalogueSearch, 'q' | 'cursor'>) => {
  const query = { limit: pageSize, ...(q && { q }), ...(cursor && { cursor }) }
  return queryOptions({
    queryKey: ['catalogue', 'list', query],
    queryFn: ({ signal }) => publicApi.cedar.get('/api/catalogue/product', { query, signal }),
  })
}

export const appQuery = (id: string) =>
  queryOptions({
    queryKey: ['catalogue', 'app', id],
    queryFn: ({ signal }) =>
      publicApi.cedar.get('/api/catalogue/product/{id}', { params: { id }, signal }),
  })
