import type { Rollout } from '@grove/contract/maple/rollout/rollout'
import type { ResumeChoice, RetriedState } from '@grove/contract/maple/rollout/rollout.rules'
import { queryOptions } from '@tanstack/react-query'
import { invalidate, queryClient } from '../../../api/query-client.ts'
import { api } from '../../../session/api.ts'
import type { ComboboxOption } from '../../../ui/kit/combobox-options.ts'
import { rolloutList, rolloutQuery, type RolloutPageSearch } from './rollout.search.ts'

export const path = '/api/maple/rollouts'
const onePath = '/api/maple/rollouts/{id}'

const liveMs = 1_000
const waitingMs = 5_000

/** How often a rollout is refetched while it runs. */
const followed = ({ state }: Pick<Rollout, 'state'>): number | false => {
  if (state === 'running' || state === 'stopping') return liveMs
  return state === 'ready' || state === 'waiting_for_approval' || state === 'paused'
    ? waitingMs
    : false
}

export const rollouts = {
  list: rolloutList,
  query: (page: ReturnType<typeof rolloutList.page>) =>
    queryOptions({
      ...api.maple.query(path, { query: rolloutQuery(page) }),
      refetchInterval: ({ state: { data } }) =>
        data?.items.some((each) => followed(each) === liveMs) ? waitingMs : false,
    }),
}

export const oneRollout = (id: string) =>
  queryOptions({
    ...api.maple.query(onePath, { params: { id } }),
    refetchInterval: ({ state: { data } }) => (data ? followed(data) : false),
  })

export const causesQuery = (id: string, isFollowed: boolean) =>
  queryOptions({
    ...api.maple.query('/api/maple/rollouts/{id}/cause', { params: { id } }),
    refetchInterval: isFollowed ? liveMs : false,
  })

export const executionsQuery = (id: string, search: RolloutPageSearch, isFollowed: boolean) =>
  queryOptions({
    ...api.maple.query('/api/maple/rollouts/{id}/execution', {
      params: { id },
      query: { ...search, limit: 25 },
    }),
    refetchInterval: isFollowed ? liveMs : false,
  })

export const countQuery = (filter: Record<string, string>) =>
  api.maple.query('/api/maple/rollouts/count', { query: filter })

/** Refetches rollouts, their causes and their devices; a changed rollout is shown immediately. */
export function refreshRollouts(saved?: Rollout): Promise<unknown> {
  if (saved) queryClient.setQueryData(oneRollout(saved.id).queryKey, saved)
  return Promise.all(
    [path, onePath, '/api/maple/rollouts/{id}/cause', '/api/maple/rollouts/{id}/execution'].map(
      (stale) => invalidate('maple', stale),
    ),
  )
}

type Control = 'start' | 'pause' | 'next' | 'stop' | 'rollback'

export const controlRollout = (id: string, action: Control): Promise<Rollout> =>
  api.maple.post(`/api/maple/rollouts/{id}/${action}`, { params: { id } })

export const resumeRollout = (id: string, choice?: ResumeChoice): Promise<Rollout> =>
  api.maple.post('/api/maple/rollouts/{id}/resume', {
    params: { id },
    body: choice === undefined ? {} : { choice },
  })

/** What to retry; everything that failed by default. */
export interface RetryChoice {
  state?: RetriedState
  cause?: string
}

export const retryRollout = (id: string, choice: RetryChoice): Promise<Rollout> =>
  api.maple.post('/api/maple/rollouts/{id}/retry', { params: { id }, body: { ...choice } })

/** Rollouts that retry this one's failures, newest first. */
export const retriesQuery = (id: string) =>
  api.maple.query(path, { query: { retries: id, limit: 10 } })

export const removeRollout = ({ id, revision }: Pick<Rollout, 'id' | 'revision'>) =>
  api.maple.delete(path, { query: { id }, ifMatch: revision })

const found = (q: string) => ({ limit: 20, ...(q && { q }) })

export const deviceOptions = async (q: string, signal: AbortSignal): Promise<ComboboxOption[]> => {
  const { items } = await api.maple.get('/api/maple/device', { query: found(q), signal })
  return items.map(({ id, name }) => ({ id, label: name, note: id }))
}

export const cardOptions = async (q: string, signal: AbortSignal): Promise<ComboboxOption[]> => {
  const { items } = await api.maple.get('/api/maple/software_cards', { query: found(q), signal })
  return items.map(({ id, name }) => ({ id, label: name, note: id }))
}

export const productQuery = (id: string) =>
  api.maple.query('/api/maple/products', { query: { id } })
