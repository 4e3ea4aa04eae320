import type { HandlerLogLine, HandlerRun } from '@grove/contract/maple/program/cloud-handler'
import type { HandlerRunState } from '@grove/contract/maple/program/handler.rules'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { StreamEvent } from '../../base/live/event-stream.ts'
import { follow, type Connection } from '../../base/live/follow.ts'
import {
  handlerOf,
  knownRun,
  openRun,
  openRuns,
  readAgain,
  runOf,
  runsOf,
  storeRun,
  storeRuns,
} from './cloud-handler.api.ts'

const isDone = ({ state }: HandlerRun) => state !== 'running'

/** The newest runs of a handler, live. */
export function useRuns(id: string, state: HandlerRunState | undefined) {
  const query = useQuery(runsOf(id, state))
  const [connection, setConnection] = useState<Connection>({ status: 'connecting' })
  useEffect(() => {
    const abort = new AbortController()
    // The first batch is what the page has fetched anyway.
    let isFirst = true
    const take = (events: StreamEvent[]) => {
      const runs = events.map(({ data: text }) => JSON.parse(text) as HandlerRun)
      storeRuns(id, runs)
      // Its state, its next run and its count of failures in a row have changed.
      if (!isFirst && runs.some(isDone)) void readAgain(handlerOf(id))
      isFirst = false
      return false
    }
    void follow({
      open: (_after, signal) => openRuns(id, signal),
      onEvents: take,
      onConnection: setConnection,
      signal: abort.signal,
      wake: globalThis,
    })
    return () => abort.abort()
  }, [id])
  return { query, connection }
}

/** A run with its log, followed until it ends. */
export function useRun(handlerId: string, runId: string) {
  const query = useQuery(runOf(handlerId, runId))
  const run = query.data
  const isOpen = run !== undefined && run.finishedAt === null
  useEffect(() => {
    const known = knownRun(handlerId, runId)
    if (!isOpen || !known) return undefined
    const abort = new AbortController()
    const take = (events: StreamEvent[]) => {
      const lines = events
        .filter(({ event }) => event === 'line')
        .map(({ data }) => JSON.parse(data) as HandlerLogLine)
      const last = events.findLast(({ event }) => event !== 'line')
      const facts = last ? (JSON.parse(last.data) as HandlerRun) : {}
      const isEnd = last?.event === 'end'
      storeRun(known, { facts, lines })
      // The stream does not include its return value.
      if (isEnd) void readAgain(runOf(handlerId, runId))
      return isEnd
    }
    void follow({
      open: (after, signal) => openRun(known, after, signal),
      onEvents: take,
      onConnection: () => {},
      signal: abort.signal,
      after: String(known.log.at(-1)?.id ?? ''),
      wake: globalThis,
    })
    return () => abort.abort()
  }, [handlerId, runId, isOpen])
  return query
}
