import type { DeviceBulk } from '@grove/contract/maple/fleet/device-bulk'
import { queryOptions } from '@tanstack/react-query'
import { itemsOf } from '../../../../api/items.ts'
import { api } from '../../../../session/api.ts'
import { defineList } from '../../../../ui/table/list-definition.ts'

export const bulkPath = '/api/maple/device/bulk'
const liveMs = 1000

export const bulkList = defineList({
  name: 'maple.bulk',
  item: 'change',
  columns: ['devices', 'state', 'filter', 'createdBy', 'createdAt'],
})

export const isUnderWay = ({ state }: Pick<DeviceBulk, 'state'>): boolean =>
  state === 'queued' || state === 'running'

const items = itemsOf((id) => api.maple.query(bulkPath, { query: { id } }))

/** Refetched while one of them is in progress. */
export const bulks = {
  list: bulkList,
  query: ({ limit, cursor }: ReturnType<typeof bulkList.page>) =>
    queryOptions({
      ...api.maple.query(bulkPath, { query: { limit, ...(cursor && { cursor }) } }),
      refetchInterval: ({ state: { data } }) => (data?.items.some(isUnderWay) ? liveMs : false),
    }),
  ...items,
  one: (id: string) =>
    queryOptions({
      ...items.one(id),
      refetchInterval: ({ state: { data } }) => (data?.items.some(isUnderWay) ? liveMs : false),
    }),
}
