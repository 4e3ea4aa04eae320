import type { LabelKind } from '@grove/contract/maple/fleet/device.rules'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { itemsOf } from '../../../../api/items.ts'
import { api } from '../../../../session/api.ts'
import { deviceList, deviceQuery } from './device.search.ts'

const path = '/api/maple/device'

/** Everyone's devices, or those of the provider that the reader works with. */
export type DeviceScope = 'all' | 'own'

/** An administrator has both lists, so answers of one must not appear in the other. */
function ofScope<Query extends { queryKey: readonly unknown[] }>(
  scope: DeviceScope,
  query: Query,
): Query {
  const [service, calledPath, input] = query.queryKey
  return { ...query, queryKey: [service, calledPath, { ...(input as object), scope }] }
}

const listOf = (scope: DeviceScope) => (page: ReturnType<typeof deviceList.page>) =>
  ofScope(scope, api.maple.query(path, { query: deviceQuery(page) }))

export const devices = {
  list: deviceList,
  query: listOf('all'),
  ...itemsOf((id) => api.maple.query(path, { query: { id } })),
}
export const ownDevices = { ...devices, query: listOf('own') }

/** The filter for devices that await acceptance. */
export const waiting = { state: 'quarantined' } as const

/** How often the count is refreshed, in milliseconds: devices register while a page is open. */
export const liveMs = 10_000

/** The number of devices awaiting acceptance, in the scope or for one product. */
export const waitingQuery = (scope: DeviceScope, productId?: string) =>
  ofScope(
    scope,
    api.maple.query(`${path}/bulk/count`, {
      query: { ...waiting, ...(productId !== undefined && { productId }) },
    }),
  )

/** Tags or attribute keys in use that start with a text. */
export const labelsQuery = (kind: LabelKind, q = '') =>
  queryOptions({
    ...api.maple.query(`${path}/label`, { query: { kind, ...(q !== '' && { q }) } }),
    placeholderData: keepPreviousData,
  })
