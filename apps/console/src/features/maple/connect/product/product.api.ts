import type { ClaimCode } from '@grove/contract/maple/connect/device-connection'
import { queryOptions } from '@tanstack/react-query'
import { itemsOf } from '../../../../api/items.ts'
import { invalidate } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'
import { services } from '../../../../session/services.ts'
import { productList, productQuery } from './product.search.ts'

const path = '/api/maple/products'
export const codePath = '/api/maple/device/claim_code'

export const products = {
  list: productList,
  query: (page: ReturnType<typeof productList.page>) =>
    api.maple.query(path, { query: productQuery(page) }),
  ...itemsOf((id) => api.maple.query(path, { query: { id } })),
}

/** Devices register while the page is open. */
const liveMs = 3000

export const countsQuery = (id: string) =>
  queryOptions({
    ...api.maple.query('/api/maple/products/{id}/devices', { params: { id } }),
    refetchInterval: liveMs,
  })

const maxShown = 20
export const devicesQuery = (productId: string) =>
  queryOptions({
    ...api.maple.query('/api/maple/device', {
      query: { productId, sort: 'createdAt', order: 'desc', limit: maxShown },
    }),
    refetchInterval: liveMs,
  })

export const codesQuery = (productId: string) =>
  queryOptions({
    ...api.maple.query(codePath, { query: { productId } }),
    refetchInterval: liveMs,
  })
export const refreshCodes = () => invalidate('maple', codePath)

export const profilesQuery = () => api.maple.query('/api/maple/se/profiles', {})

/** The number of images the form of a product offers, newest first. */
const maxImages = 100
export const imagesQuery = () =>
  api.maple.query('/api/maple/binary_images', { query: { limit: maxImages } })
/** All device handlers that there can be, by name. */
export const handlersQuery = () =>
  api.maple.query('/api/maple/device_handlers', {
    query: { limit: 200, sort: 'name', order: 'asc' },
  })
export const handlerQuery = (id: string) =>
  api.maple.query('/api/maple/device_handlers', { query: { id } })
export const imageQuery = (id: string) =>
  api.maple.query('/api/maple/binary_images', { query: { id } })

/** The console serves the agent itself, wherever the device service is. */
const agent = () => `npx --yes ${location.origin}/downloads/grove-device.tgz`
const platform = () => services.maple.url || location.origin

/** The command that starts an agent or, for several uses, a fleet with device IDs of its own. */
export const commandFor = ({ code, id, name, mostUses }: ClaimCode & { code: string }): string =>
  mostUses === 1
    ? `${agent()} --platform ${platform()} --code ${code}`
    : `${agent()} fleet --platform ${platform()} --count ${Math.min(mostUses, maxAgents)} --prefix ${prefixOf(name)}-${id.slice(0, 4)} --code ${code}`

const prefixOf = (name: string) =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 20)
    .replaceAll(/^-|-$/g, '') || 'device'

/** The maximum in one fleet. */
const maxAgents = 20_000
