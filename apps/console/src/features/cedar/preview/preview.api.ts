import { previewMs } from '@grove/contract/cedar/preview.rules'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../session/api.ts'

const renewMs = previewMs - 60_000

/** The URL of a preview. While the page is visible, a new one is fetched a minute before it expires. */
export const previewQuery = (id: string) =>
  queryOptions({
    queryKey: ['cedar', 'preview', id] as const,
    queryFn: ({ signal }) =>
      api.cedar.post('/api/developer/productVersion/{id}/preview', { params: { id }, signal }),
    // Each request counts, and the URL of an earlier visit may have expired.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchInterval: renewMs,
  })

/** A URL of this age no longer works. */
export const isOver = (openedAt: number, now = Date.now()) => now - openedAt >= previewMs
