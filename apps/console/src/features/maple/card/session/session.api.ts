import type { ElementSession } from '@grove/contract/maple/card/session'
import { chipNumber } from '@grove/secure-element/cplc'
import { queryOptions } from '@tanstack/react-query'
import { address } from '../../../../api/address.ts'
import { invalidate, queryClient } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'
import type { ComboboxOption } from '../../../../ui/kit/combobox-options.ts'
import { openEvents } from '../../base/live/open-events.ts'
import { sessionQuery } from './session.query.ts'
import { sessionList, type SessionSearch } from './session.search.ts'

export const path = '/api/maple/sessions/se'

export const sessions = {
  list: sessionList,
  refresh: () => invalidate('maple', path),
}

const liveMs = 5000

/** A page of the list: while a session on it is open, its counters change on their own. */
export const sessionsQuery = (search: SessionSearch) =>
  queryOptions({
    ...api.maple.query(path, { query: sessionQuery(search) }),
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(({ endedAt }) => endedAt === null) ? liveMs : false,
  })

export const oneSession = (id: string) => api.maple.query(`${path}/{id}`, { params: { id } })

/** Caches the service's latest answer about a session. */
export const storeSession = (session: ElementSession) =>
  queryClient.setQueryData(oneSession(session.id).queryKey, session)

/** The current session of an element, if the reader may see it. */
export async function liveSessionOf(cplc: string): Promise<ElementSession | undefined> {
  const { items } = await api.maple.get(path, { query: { cplc, limit: 5 } })
  return items.find(({ endedAt }) => endedAt === null)
}

export async function elementOptions(
  query: string,
  signal: AbortSignal,
): Promise<ComboboxOption[]> {
  const { items } = await api.maple.get('/api/maple/se/element', {
    query: { limit: 20, ...(query !== '' && { q: query }) },
    signal,
  })
  return items.map(({ cplc, device }) => ({
    id: cplc,
    label: `${chipNumber(cplc)}${device ? ` · ${device.name}` : ''}`,
    note: cplc,
  }))
}

export async function deviceOptions(query: string, signal: AbortSignal): Promise<ComboboxOption[]> {
  const { items } = await api.maple.get('/api/maple/device', {
    query: { limit: 20, ...(query !== '' && { q: query }) },
    signal,
  })
  return items.map(({ id, name }) => ({ id, label: name, note: id }))
}

/** The stream of a session after an exchange. */
export const openStream = (id: string, after: string, signal: AbortSignal) =>
  openEvents(address(`${path}/{id}/stream`, { id }, after === '' ? {} : { after }), signal)
