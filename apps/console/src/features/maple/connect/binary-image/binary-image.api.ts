import { itemsOf } from '../../../../api/items.ts'
import { invalidate } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'
import { imageList, imageQuery } from './binary-image.search.ts'

const path = '/api/maple/binary_images'
export const keyPath = '/api/maple/binary_images/keys'

export const images = {
  list: imageList,
  query: (page: ReturnType<typeof imageList.page>) =>
    api.maple.query(path, { query: imageQuery(page) }),
  ...itemsOf((id) => api.maple.query(path, { query: { id } })),
}

export const keysQuery = () => api.maple.query(keyPath, {})
export const refreshKeys = () => invalidate('maple', keyPath)

/** The number of products the form of an image offers, ordered by name. */
const maxProducts = 100
export const productsQuery = () =>
  api.maple.query('/api/maple/products', {
    query: { limit: maxProducts, sort: 'name', order: 'asc' },
  })
