import type {
  DeviceHandler,
  DeviceHandlerInput,
} from '@grove/contract/maple/program/device-handler'
import { queryOptions } from '@tanstack/react-query'
import { itemsOf } from '../../../../api/items.ts'
import { invalidate, queryClient } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'
import { deviceHandlerList, listQuery } from './device-handler.search.ts'

export const path = '/api/maple/device_handlers'

export const deviceHandlers = {
  ...itemsOf((id) => api.maple.query(path, { query: { id } })),
  list: deviceHandlerList,
  query: (page: ReturnType<typeof deviceHandlerList.page>) =>
    api.maple.query(path, { query: listQuery(page) }),
}

export const handlerQuery = (id: string) => api.maple.query(`${path}/{id}`, { params: { id } })

/** After a handler's change: caches what was saved, and refetches everything that lists it. */
export function refreshHandler(saved?: DeviceHandler) {
  if (!saved) return invalidate('maple', path)
  const { queryKey } = handlerQuery(saved.id)
  queryClient.setQueryData(queryKey, saved)
  return invalidate('maple', path, { except: queryKey })
}

/** The number of versions the page shows. */
const maxShown = 20

export const versionsQuery = (id: string) =>
  api.maple.query(`${path}/{id}/version`, { params: { id }, query: { limit: maxShown } })

export const versionQuery = (id: string, number: number) =>
  api.maple.query(`${path}/{id}/version/{number}`, { params: { id, number } })

/** The results of code for inputs; the code need not be saved. */
export const tryQuery = (code: string, inputs: DeviceHandlerInput[]) =>
  queryOptions({
    queryKey: ['maple', `${path}/run`, code, inputs],
    queryFn: ({ signal }) => api.maple.post(`${path}/run`, { body: { code, inputs }, signal }),
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
  })

/** The newest messages of a device. */
export const messagesQuery = (deviceId: string) =>
  api.maple.query('/api/maple/device/connection', { query: { deviceId } })
