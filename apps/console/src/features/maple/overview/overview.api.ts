import { api } from '../../../session/api.ts'

const maxRequests = 20

/** Requests that other people made and that are not decided. */
export const requestsQuery = () => ({
  ...api.maple.query('/api/maple/approvals', { query: { state: 'pending', limit: maxRequests } }),
  refetchInterval: 60_000,
})

/** What Maple holds, asked for again while somebody looks. */
export const aboutQuery = () => ({
  ...api.maple.query('/api/maple/about'),
  refetchInterval: 60_000,
})
