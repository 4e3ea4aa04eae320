import { api } from '../../session/api.ts'

const limit = 5
const refetchInterval = 60_000

/** Refused packages and unsent notifications of the last few days. */
export const failuresQuery = () => api.cedar.query('/api/developer/failure', { query: {} })

/** Maple's counts: in a working stage, those of its service provider. */
export const aboutQuery = () => ({ ...api.maple.query('/api/maple/about'), refetchInterval })

export const newestProductQuery = () =>
  api.maple.query('/api/maple/products', { query: { limit: 1 } })

export const pausedRolloutsQuery = () => ({
  ...api.maple.query('/api/maple/rollouts', { query: { state: 'paused', limit } }),
  refetchInterval,
})

export const failingHandlersQuery = () => ({
  ...api.maple.query('/api/maple/cloud_handlers', { query: { state: 'failing', limit } }),
  refetchInterval,
})

/** Elements that accept no more attempts after a key did not fit. */
export const blockedElementsQuery = () => ({
  ...api.maple.query('/api/maple/se/element', {
    query: { state: 'blocked', sort: 'updatedAt', order: 'desc', limit },
  }),
  refetchInterval,
})

/** Requests for providers; the same call as the header's inbox makes. */
export const providerRequestsQuery = () => ({
  ...api.cedar.query('/api/provider/request', { query: { state: 'open', limit: 20 } }),
  refetchInterval,
})

/** The same call as the header's inbox makes. */
export const requestsQuery = () => ({
  ...api.maple.query('/api/maple/approvals', { query: { state: 'pending', limit: 20 } }),
  refetchInterval,
})
