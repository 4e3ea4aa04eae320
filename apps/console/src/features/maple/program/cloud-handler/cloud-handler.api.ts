import type {
  HandlerLogLine,
  HandlerRun,
  OpenCloudHandler,
} from '@grove/contract/maple/program/cloud-handler'
import {
  handlerRunStates,
  watchedRuns,
  type HandlerRunState,
} from '@grove/contract/maple/program/handler.rules'
import { address } from '../../../../api/address.ts'
import { itemsOf } from '../../../../api/items.ts'
import { invalidate, queryClient } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'
import { openEvents } from '../../base/live/open-events.ts'
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

/** After a change: caches what was saved, and refetches everything else about handlers. */
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

/** The newest runs, as many as are streamed to a watcher. */
export const runsOf = (id: string, state?: HandlerRunState) =>
  api.maple.query(`${path}/{id}/run`, {
    params: { id },
    query: { limit: watchedRuns, ...(state && { state }) },
  })

/** A run with its log. */
export const runOf = (id: string, runId: string) =>
  api.maple.query(`${path}/{id}/run/{runId}`, { params: { id, runId } })

/** The live runs of a handler. */
export const openRuns = (id: string, signal: AbortSignal) =>
  openEvents(address(`${path}/{id}/stream`, { id }), signal)

/** The stream of a run's log after a line, and of its states. */
export const openRun = ({ id, handlerId }: HandlerRun, after: string, signal: AbortSignal) =>
  openEvents(
    address(
      `${path}/{id}/run/{runId}/stream`,
      { id: handlerId, runId: id },
      after === '' ? {} : { after },
    ),
    signal,
  )

/** Updates runs that are new or have changed; a list filtered by state is refetched. */
export function storeRuns(handlerId: string, runs: readonly HandlerRun[]) {
  queryClient.setQueryData(runsOf(handlerId).queryKey, (page) => {
    if (!page) return page
    const others = page.items.filter(({ id }) => runs.every((run) => run.id !== id))
    const items = [...runs, ...others].toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
    return { ...page, items: items.slice(0, watchedRuns) }
  })
  for (const state of handlerRunStates) void readAgain(runsOf(handlerId, state))
}

/** The cached run. */
export const knownRun = (handlerId: string, id: string) =>
  queryClient.getQueryData(runOf(handlerId, id).queryKey)

/** Refetches exactly this query. */
export const readAgain = ({ queryKey }: { queryKey: readonly unknown[] }) =>
  queryClient.invalidateQueries({ queryKey, exact: true })

/** Updates the log lines and states of a run as they arrive. */
export const storeRun = (
  { id, handlerId }: HandlerRun,
  { facts, lines }: { facts: Partial<HandlerRun>; lines: readonly HandlerLogLine[] },
) =>
  queryClient.setQueryData(runOf(handlerId, id).queryKey, (run) => {
    if (!run) return run
    const last = run.log.at(-1)?.id ?? 0
    return { ...run, ...facts, log: [...run.log, ...lines.filter((line) => line.id > last)] }
  })
