import type { Script, ScriptRun, ScriptRunItem } from '@grove/contract/maple/program/script'
import { isRunning } from '@grove/contract/maple/program/script.rules'
import { queryOptions } from '@tanstack/react-query'
import { itemsOf } from '../../../../api/items.ts'
import { invalidate, queryClient } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'
import { scriptList } from './script.search.ts'

export const path = '/api/maple/scripts'

export const scripts = {
  ...itemsOf((id) => api.maple.query(path, { query: { id } })),
  list: scriptList,
  query: (page: ReturnType<typeof scriptList.page>) => api.maple.query(path, { query: page }),
}

export const scriptQuery = (id: string) => api.maple.query(`${path}/{id}`, { params: { id } })

/** After a script's change: caches what was saved, and refetches everything that lists it. */
export function refreshScript(saved?: Script) {
  if (!saved) return invalidate('maple', path)
  const { queryKey } = scriptQuery(saved.id)
  queryClient.setQueryData(queryKey, saved)
  return invalidate('maple', path, { except: queryKey })
}

/** The number of versions and runs the page of a script shows. */
export const maxShown = 20

export const versionsQuery = (id: string) =>
  api.maple.query(`${path}/{id}/version`, { params: { id }, query: { limit: maxShown } })

export const versionQuery = (id: string, number: number) =>
  api.maple.query(`${path}/{id}/version/{number}`, { params: { id, number } })

const liveMs = 700
const isLive = ({ state }: Pick<ScriptRunItem, 'state'>) => isRunning(state)

/** The newest runs of a script, refetched while one is in progress. */
export const runsQuery = (id: string) =>
  queryOptions({
    ...api.maple.query(`${path}/{id}/run`, { params: { id }, query: { limit: maxShown } }),
    refetchInterval: ({ state: { data } }) => (data?.items.some(isLive) ? liveMs : false),
  })

/** One run with its log, which grows while it runs. */
export const runQuery = (id: string, runId: string) =>
  queryOptions({
    ...api.maple.query(`${path}/{id}/run/{runId}`, { params: { id, runId } }),
    refetchInterval: ({ state: { data } }) => (data && isLive(data) ? liveMs : false),
  })

export interface RunChoice {
  /** The draft without it. */
  version: number | undefined
  elements: string[]
  input: Record<string, string>
  replayOf?: string
  isStepped?: boolean
}

export async function startRun(id: string, { version, ...choice }: RunChoice) {
  const started = await api.maple.post(`${path}/{id}/run`, {
    params: { id },
    body: { ...choice, ...(version !== undefined && { version }) },
  })
  await invalidate('maple', `${path}/{id}/run`)
  return started
}

export const cancelRun = async (id: string, batch: string) => {
  await api.maple.post(`${path}/{id}/cancel`, { params: { id }, body: { batch } })
  await invalidate('maple', path)
}

/** Answers a run's question, and shows the outcome. */
export async function answerRun({ id, scriptId, question }: ScriptRun, value: string) {
  if (!question) return
  const answered = await api.maple.post(`${path}/{id}/run/{runId}/answer`, {
    params: { id: scriptId, runId: id },
    body: { number: question.number, value },
  })
  queryClient.setQueryData(runQuery(scriptId, id).queryKey, answered)
}
