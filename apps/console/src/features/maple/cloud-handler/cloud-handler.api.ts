import type { HandlerRun, OpenCloudHandler } from '@grove/contract'
import type { HandlerRunState } from '@grove/contract/maple/handler.rules'
import { queryOptions } from '@tanstack/react-query'
import { itemsOf } from '../../../api/items.ts'
import { invalidate, queryClient } from '../../../api/query-client.ts'
import { api } from '../../../session/api.ts'
import { handlerList, handlerQuery } from './cloud-handler.search.ts'

export const path = '/api/maple/cloud_handlers'
export const onePath = `${path}/{id}` as const

export const handlers = {
  ...itemsOf((id) => api.maple.query(path, { query: { id } })),
  list: handlerList,
  query: (page: ReturnType<typeof handlerList.page>) =>
    api.maple.query(path, { query: handlerQuery(page) }),
}

/** A handler with its draft. */
export const handlerOf = (id: string) => api.maple.query(onePath, { params: { id } })

/** After a change: what was saved, and everything else of handlers again. */
export function refreshHandler(saved?: OpenCloudHandler) {
  if (!saved) return invalidate('maple', path)
  const { queryKey } = handlerOf(saved.id)
  queryClient.setQueryData(queryKey, saved)
  return invalidate('maple', path, { except: queryKey })
}

export const versionsOf = (id: string) =>
  api.maple.query(`${path}/{id}/version`, { params: { id } })
export const versionOf = (id: string, version: number) =>
  api.maple.query(`${path}/{id}/version/{version}`, { params: { id, version } })
export const secretsOf = (id: string) => api.maple.query(`${path}/{id}/secret`, { params: { id } })

const liveMs = 700
const calmMs = 5000
const isLive = ({ state, finishedAt }: HandlerRun) => state === 'running' || finishedAt === null

/** As many runs as the page shows at once. */
export const shownRuns = 20

/** The newest runs. New ones come by themselves. */
export const runsOf = (id: string, state: HandlerRunState | undefined, isWatched: boolean) =>
  queryOptions({
    ...api.maple.query(`${path}/{id}/run`, {
      params: { id },
      query: { limit: shownRuns, ...(state && { state }) },
    }),
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(({ state: now }) => now === 'running') ? liveMs : isWatched ? calmMs : false,
  })

/** A run with its log, followed until it ends. */
export const runOf = (id: string, runId: string) =>
  queryOptions({
    ...api.maple.query(`${path}/{id}/run/{runId}`, { params: { id, runId } }),
    refetchInterval: ({ state: { data } }) => (data && isLive(data) ? liveMs : false),
  })
