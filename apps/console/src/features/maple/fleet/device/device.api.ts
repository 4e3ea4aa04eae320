import type { LabelKind } from '@grove/contract/maple/fleet/device.rules'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { itemsOf } from '../../../../api/items.ts'
import { api } from '../../../../session/api.ts'
import { deviceList, deviceQuery } from './device.search.ts'

const path = '/api/maple/device'

export const devices = {
  list: deviceList,
  query: (page: ReturnType<typeof deviceList.page>) =>
    api.maple.query(path, { query: deviceQuery(page) }),
  ...itemsOf((id) => api.maple.query(path, { query: { id } })),
}

/** Tags or attribute keys that devices have and that begin with a text. */
export const labelsQuery = (kind: LabelKind, q = '') =>
  queryOptions({
    ...api.maple.query(`${path}/label`, { query: { kind, ...(q !== '' && { q }) } }),
    placeholderData: keepPreviousData,
  })
