import type { DeviceImport } from '@grove/contract/maple/fleet/device-import'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ImportLanguage } from '@grove/contract/maple/fleet/device-import.rules'
import { itemsOf } from '../../../../api/items.ts'
import { api } from '../../../../session/api.ts'
import { currentLocale } from '../../../../ui/i18n/locale.ts'
import { importList } from './device-import.search.ts'

const path = '/api/maple/device/import'
const liveMs = 1000

export const isLive = ({ state }: Pick<DeviceImport, 'state'>): boolean =>
  state === 'checking' || state === 'running'

const items = itemsOf((id) => api.maple.query(path, { query: { id } }))

export const imports = {
  list: importList,
  query: ({ limit, cursor }: ReturnType<typeof importList.page>) =>
    queryOptions({
      ...api.maple.query(path, { query: { limit, ...(cursor && { cursor }) } }),
      refetchInterval: ({ state: { data } }) => (data?.items.some(isLive) ? liveMs : false),
    }),
  ...items,
  one: (id: string) =>
    queryOptions({
      ...items.one(id),
      refetchInterval: ({ state: { data } }) => (data?.items.some(isLive) ? liveMs : false),
    }),
}

/** The language of row errors. */
export const importLanguage = (): ImportLanguage => (currentLocale() === 'ru-RU' ? 'ru' : 'en')

export const previewQuery = (id: string, mapping: DeviceImport['mapping']) =>
  queryOptions({
    queryKey: ['maple', `${path}/preview`, id, mapping, importLanguage()] as const,
    queryFn: ({ signal }) =>
      api.maple.post('/api/maple/device/import/preview', {
        body: { id, mapping, language: importLanguage() },
        signal,
      }),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  })

/** The current errors of an import: a changed count refetches them. */
export const errorsQuery = ({ id, state, counts }: DeviceImport) => {
  const query = { id, language: importLanguage() }
  return queryOptions({
    queryKey: ['maple', `${path}/error`, query, state, counts.wrong] as const,
    queryFn: ({ signal }) => api.maple.get('/api/maple/device/import/error', { query, signal }),
    placeholderData: keepPreviousData,
  })
}
