import type { CatalogueProduct } from '@grove/contract/cedar/catalogue'
import { queryClient } from '../../api/query-client.ts'
import type { CatalogueSearch } from './catalogue-search.ts'
import { publicApi } from './public-api.ts'

const path = '/api/catalogue/product'

/** Full rows in one, two, three and four columns. */
const pageSize = 24

export const catalogueQuery = ({ q, cursor }: Pick<CatalogueSearch, 'q' | 'cursor'>) =>
  publicApi.cedar.query(path, {
    query: { limit: pageSize, ...(q && { q }), ...(cursor && { cursor }) },
  })

export const appQuery = (id: string) => publicApi.cedar.query(`${path}/{id}`, { params: { id } })

/** The app as a cached list has it, to show until its own answer arrives. */
export const listedApp = (id: string) =>
  queryClient
    .getQueriesData<{ items?: CatalogueProduct[] }>({ queryKey: ['cedar', path] })
    .flatMap(([, page]) => page?.items ?? [])
    .find(({ productId }) => productId === id)
