import { api } from '../../../session/api.ts'

const maxRequests = 20

/** Pending requests of other people. */
export const requestsQuery = () => ({
  ...api.maple.query('/api/maple/approvals', { query: { state: 'pending', limit: maxRequests } }),
  refetchInterval: 60_000,
})

/** Maple's totals, refetched while someone is looking. */
export const aboutQuery = () => ({
  ...api.maple.query('/api/maple/about'),
  refetchInterval: 60_000,
})
