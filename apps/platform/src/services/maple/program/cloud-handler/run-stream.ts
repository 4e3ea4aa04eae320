import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { HandlerLogLine, HandlerRun } from '@grove/contract/maple/program/cloud-handler'
import { watchedRuns } from '@grove/contract/maple/program/handler.rules'
import type { Actor } from '../../../../core/actor.ts'
import { scopeOf } from '../../../../core/scope.ts'
import type { MapleContext } from '../../base/context.ts'
import { nextChange } from '../../card/session/next-change.ts'
import { hasHandler } from './cloud-handler.queries.ts'
import { required } from './cloud-handler.service.ts'
import type { HandlerRunner } from './handler-runner.ts'
import { findRun, readLog, runList } from './handler-run.queries.ts'
import { requiredRun } from './handler-run.service.ts'

interface Watcher {
  id: string
  /** When the token of the watcher ends, in milliseconds since the epoch. */
  until: number
  /** The client disconnected. */
  signal: AbortSignal
}

interface RunWatcher extends Watcher {
  runId: string
  /** The last line that the watcher has. */
  after: number
}

type Context = MapleContext & { handlers: HandlerRunner }

const batch = 200
/** To learn of what another process stored. */
const lookMs = { run: 500, runs: 2000 }
const gatherMs = 150
const heartbeatMs = 15_000

/**
 * The log of a run as it is stored, and its states: the table is the queue, so a watcher misses
 * nothing, whichever process serves it. @throws ProblemError `not_found`.
 */
export async function streamRun(context: Context, actor: Actor, input: RunWatcher) {
  const { db } = context
  const { id, runId } = input
  await required(db, actor, id)
  await requiredRun(db, id, runId)
  let last = input.after
  let shown = ''
  const look = async (): Promise<Found | undefined> => {
    // The run first: its end is written after its last line.
    const run = await findRun(db, id, runId)
    if (!run) return undefined
    const lines = await readLog(db, runId, { after: last, limit: batch })
    const { event: _event, result: _result, ...facts } = run
    const state = JSON.stringify(facts)
    const events = lines.map((line) => eventText('line', line, line.id))
    last = lines.at(-1)?.id ?? last
    if (state !== shown) events.push(eventText('run', facts))
    shown = state
    const hasMore = lines.length === batch
    const isEnd = run.finishedAt !== null && !hasMore
    if (isEnd) events.push(eventText('end', facts))
    return { events, hasMore, isEnd }
  }
  return streamOf(watch(context, actor, input, { topic: runId, lookMs: lookMs.run, look }))
}

/** The newest runs of a handler, each again when it changes. @throws ProblemError `not_found`. */
export async function streamRuns(context: Context, actor: Actor, input: Watcher) {
  const { db } = context
  const { id } = input
  await required(db, actor, id)
  let shown = new Map<string, string>()
  const look = async (): Promise<Found> => {
    // Concurrent changes are merged.
    if (shown.size > 0) await wait(gatherMs)
    const { items } = await runList.read(db, { limit: watchedRuns }, id)
    const now = new Map(items.map((run) => [run.id, JSON.stringify(run)]))
    const changed = items.filter((run) => shown.get(run.id) !== now.get(run.id))
    shown = now
    // Oldest first, as they came.
    return { events: changed.toReversed().map((run) => eventText('run', run)) }
  }
  return streamOf(watch(context, actor, input, { topic: id, lookMs: lookMs.runs, look }))
}

const streamOf = (events: AsyncGenerator<string>) => Readable.from(events, { objectMode: false })

interface Found {
  events: string[]
  /** There is more to read immediately. */
  hasMore?: boolean
  isEnd?: boolean
}

interface Look {
  /** The runner's event for a change of it. */
  topic: string
  lookMs: number
  /** Undefined if it is deleted. */
  look: () => Promise<Found | undefined>
}

async function* watch(
  { db, now, handlers }: Context,
  actor: Actor,
  { id, until, signal }: Watcher,
  { topic, lookMs: pause, look }: Look,
): AsyncGenerator<string> {
  let quietSince = now()
  yield ': watching\n\n'
  while (!signal.aborted && !handlers.isClosing() && now() < until) {
    // Before reading: data stored meanwhile wakes the next round.
    const woken = nextChange(handlers.changes, topic, signal)
    const [found, isTheirs] = await Promise.all([look(), hasHandler(db, id, scopeOf(actor))])
    if (!found || !isTheirs) return woken.cancel()
    const { events, hasMore = false, isEnd = false } = found
    if (events.length === 0 && now() - quietSince >= heartbeatMs) events.push(': heartbeat\n\n')
    if (events.length > 0) {
      quietSince = now()
      yield events.join('')
    }
    if (isEnd) return woken.cancel()
    if (hasMore) woken.cancel()
    else await woken.wait(pause)
  }
}

const eventText = (name: string, data: HandlerLogLine | HandlerRun, id?: number): string =>
  `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`
