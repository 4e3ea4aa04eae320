import { previewMs } from '@grove/contract/cedar/preview.rules'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../session/api.ts'

const renewMs = previewMs - 60_000

/** The address of a preview. While the page is looked at, a new one comes a minute before its end. */
export const previewQuery = (id: string) =>
  queryOptions({
    queryKey: ['cedar', 'preview', id] as const,
    queryFn: ({ signal }) =>
      api.cedar.post('/api/developer/productVersion/{id}/preview', { params: { id }, signal }),
    // Each asking counts, and an address of an earlier visit may be over.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchInterval: renewMs,
  })

/** An address of this age opens nothing any more. */
export const isOver = (openedAt: number, now = Date.now()) => now - openedAt >= previewMs
