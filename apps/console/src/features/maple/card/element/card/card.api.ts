import type { CardOperation } from '@grove/contract/maple/card/card-operation'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../../../session/api.ts'

/** The card's last reading. */
export const readingQuery = (cplc: string) =>
  api.maple.query('/api/maple/se/card/reading', { query: { cplc } })

const liveMs = 700
export const isLive = ({ state }: Pick<CardOperation, 'state'>): boolean =>
  state === 'queued' || state === 'running'

/** The latest operations on a card, refetched while one runs. */
export const cardOperationsQuery = (cplc: string) =>
  queryOptions({
    ...api.maple.query('/api/maple/se/card/operation', { query: { cplc } }),
    refetchInterval: ({ state: { data } }) => (data?.items.some(isLive) ? liveMs : false),
  })
