import type { NewReader } from '@grove/contract/maple/card/reader'
import { queryOptions } from '@tanstack/react-query'
import { itemsOf } from '../../../../api/items.ts'
import { invalidate } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'
import { services } from '../../../../session/services.ts'
import { readerList } from './reader.search.ts'

export const path = '/api/maple/reader'

/** Readers come and go, and so do their cards. */
const liveMs = 2000

const items = itemsOf((id) => api.maple.query(path, { query: { id } }))

export const readers = {
  ...items,
  list: readerList,
  query: (page: ReturnType<typeof readerList.page>) =>
    queryOptions({ ...api.maple.query(path, { query: page }), refetchInterval: liveMs }),
  one: (id: string) => queryOptions({ ...items.one(id), refetchInterval: liveMs }),
}

/** After an element was registered: readers show whether theirs is known. */
export const refreshElements = () =>
  Promise.all([readers.refresh(), invalidate('maple', '/api/maple/se/element')])

/** The pairing codes created during this visit. The service reveals each only once. */
const codes = new Map<string, Pick<NewReader, 'code' | 'codeExpiresAt'>>()

export const keepCode = ({ id, code, codeExpiresAt }: NewReader) =>
  codes.set(id, { code, codeExpiresAt })

/** The code of a reader that is waiting for its program, while the code is valid. */
export function codeOf(id: string, now: number): string | undefined {
  const found = codes.get(id)
  return found && Date.parse(found.codeExpiresAt) > now ? found.code : undefined
}

/** The command that starts the reader program, which the console serves. */
export const command = (rest: string) =>
  `npx --yes ${location.origin}/downloads/grove-reader.tgz --platform ${services.maple.url || location.origin} ${rest}`
