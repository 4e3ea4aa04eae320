import type { Job } from '@grove/contract/core/job'
import type { ServiceName } from '@grove/contract/call'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../session/api.ts'
import type { jobList } from './job.search.ts'

interface ListOptions {
  query: {
    state?: string
    recurring: boolean
    cursor?: string
    limit: number
    count?: boolean
  }
  signal: AbortSignal
}
interface OneOptions {
  params: { id: string }
  signal?: AbortSignal
}

const calls = {
  auth: {
    list: (options: ListOptions) => api.auth.get('/api/auth/job', options),
    one: (options: OneOptions) => api.auth.get('/api/auth/job/{id}', options),
    retry: (options: OneOptions) => api.auth.post('/api/auth/job/{id}/retry', options),
    cancel: (options: OneOptions) => api.auth.post('/api/auth/job/{id}/cancel', options),
    refresh: () => api.auth.invalidate('/api/auth/job'),
  },
  cedar: {
    list: (options: ListOptions) => api.cedar.get('/api/cedar/job', options),
    one: (options: OneOptions) => api.cedar.get('/api/cedar/job/{id}', options),
    retry: (options: OneOptions) => api.cedar.post('/api/cedar/job/{id}/retry', options),
    cancel: (options: OneOptions) => api.cedar.post('/api/cedar/job/{id}/cancel', options),
    refresh: () => api.cedar.invalidate('/api/cedar/job'),
  },
  maple: {
    list: (options: ListOptions) => api.maple.get('/api/maple/job', options),
    one: (options: OneOptions) => api.maple.get('/api/maple/job/{id}', options),
    retry: (options: OneOptions) => api.maple.post('/api/maple/job/{id}/retry', options),
    cancel: (options: OneOptions) => api.maple.post('/api/maple/job/{id}/cancel', options),
    refresh: () => api.maple.invalidate('/api/maple/job'),
  },
}

const liveMs = 2000

/** About to change on its own: it is running or due. */
const isLive = ({ state, dueAt }: Job) =>
  state === 'running' || (state === 'queued' && Date.parse(dueAt) < Date.now() + 2 * liveMs)

export const jobListQuery = (service: ServiceName, page: ReturnType<typeof jobList.page>) => {
  const { limit, state, kind, cursor, count } = page
  const query = {
    limit,
    recurring: kind !== undefined,
    ...(state && { state }),
    ...(cursor && { cursor }),
    ...(count && { count }),
  }
  return queryOptions({
    queryKey: [service, `/api/${service}/job`, { query }] as const,
    queryFn: ({ signal }) => calls[service].list({ query, signal }),
    staleTime: 5000,
    refetchInterval: ({ state: { data } }) => (data?.items.some(isLive) ? liveMs : false),
  })
}

export const jobQuery = (service: ServiceName, id: string) =>
  queryOptions({
    queryKey: [service, `/api/${service}/job/{id}`, { params: { id } }] as const,
    queryFn: ({ signal }) => calls[service].one({ params: { id }, signal }),
    refetchInterval: ({ state: { data } }) => (data && isLive(data) ? liveMs : false),
  })

export const retryJob = (service: ServiceName, id: string) =>
  calls[service].retry({ params: { id } })
export const cancelJob = (service: ServiceName, id: string) =>
  calls[service].cancel({ params: { id } })
export const refreshJobs = (service: ServiceName) => calls[service].refresh()
