import type { DeviceMessage } from '@grove/contract/maple/connect/device-connection'
import type { DeviceSession } from '@grove/contract/maple/connect/device-session'
import { largestPage } from '@grove/contract/page.rules'
import { queryOptions } from '@tanstack/react-query'
import { address } from '../../../../api/address.ts'
import { queryClient } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'
import type { ComboboxOption } from '../../../../ui/kit/combobox-options.ts'
import { openEvents } from '../../base/live/open-events.ts'
import { deviceSessionQuery, type DeviceSessionSearch } from './device-session.search.ts'

export const path = '/api/maple/sessions/device'
const liveMs = 5000

/** A page of the list: while a device on it is connected, its counters change on their own. */
export const deviceSessionsQuery = (search: DeviceSessionSearch) =>
  queryOptions({
    ...api.maple.query(path, { query: deviceSessionQuery(search) }),
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(({ endedAt }) => endedAt === null) ? liveMs : false,
  })

export const oneDeviceSession = (id: string) => api.maple.query(`${path}/{id}`, { params: { id } })

/** Caches the service's latest answer about a session. */
export const storeDeviceSession = (session: DeviceSession) =>
  queryClient.setQueryData(oneDeviceSession(session.id).queryKey, session)

/** The stream of a session after a message. */
/** @param waiting the first message shown as waiting for its handler */
export const openDeviceStream = (
  id: string,
  { after, waiting }: { after: string; waiting: number | undefined },
  signal: AbortSignal,
) => {
  const query = { ...(after !== '' && { after }), ...(waiting !== undefined && { waiting }) }
  return openEvents(address(`${path}/{id}/stream`, { id }, query), signal)
}

/** The last messages of a session before a given one, in order. */
export async function messagesBefore(id: string, before?: number): Promise<DeviceMessage[]> {
  const { items } = await api.maple.get(`${path}/{id}/message`, {
    params: { id },
    query: { order: 'desc', limit: largestPage, ...(before !== undefined && { before }) },
  })
  return items.toReversed()
}

export async function deviceOptions(query: string, signal: AbortSignal): Promise<ComboboxOption[]> {
  const { items } = await api.maple.get('/api/maple/device', {
    query: { limit: 20, ...(query !== '' && { q: query }) },
    signal,
  })
  return items.map(({ id, name }) => ({ id, label: name, note: id }))
}
