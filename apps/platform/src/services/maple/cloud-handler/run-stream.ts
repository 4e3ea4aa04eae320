import { Readable } from 'node:stream'
import type { HandlerLogLine, HandlerRun } from '@grove/contract'
import { scopeOf, type Actor } from '../../../core/actor.ts'
import type { MapleContext } from '../context.ts'
import { nextChange } from '../session/next-change.ts'
import { hasHandler } from './cloud-handler.queries.ts'
import { required } from './cloud-handler.service.ts'
import type { HandlerRunner } from './handler-runner.ts'
import { findRun, readLog } from './handler-run.queries.ts'
import { requiredRun } from './handler-run.service.ts'

interface StreamInput {
  id: string
  runId: string
  /** The last line that the watcher has. */
  after: number
  /** When the token of the watcher ends, in milliseconds since the epoch. */
  until: number
  /** The watcher has gone. */
  signal: AbortSignal
}

type Context = MapleContext & { handlers: HandlerRunner }

const batch = 200
/** To learn of lines that another process stored. */
const lookMs = 500
const heartbeatMs = 15_000

/**
 * The log of a run as it is stored, and its states: the table is the queue, so a watcher misses
 * nothing, whichever process serves it. @throws ProblemError `not_found`.
 */
export async function streamRun(context: Context, actor: Actor, input: StreamInput) {
  await required(context.db, actor, input.id)
  await requiredRun(context.db, input.id, input.runId)
  return Readable.from(eventsOf(context, actor, input), { objectMode: false })
}

async function* eventsOf(
  { db, now, handlers }: Context,
  actor: Actor,
  { id, runId, after, until, signal }: StreamInput,
): AsyncGenerator<string> {
  let last = after
  let shown = ''
  let quietSince = now()
  yield ': watching\n\n'
  while (!signal.aborted && !handlers.isClosing() && now() < until) {
    // Before reading: what is stored meanwhile wakes the next round.
    const woken = nextChange(handlers.changes, runId, signal)
    // The run first: its end is written after its last line.
    const [run, isTheirs] = await Promise.all([
      findRun(db, id, runId),
      hasHandler(db, id, scopeOf(actor)),
    ])
    if (!run || !isTheirs) return woken.cancel()
    const lines = await readLog(db, runId, { after: last, limit: batch })
    const { event: _event, result: _result, ...facts } = run
    const state = JSON.stringify(facts)
    const events = lines.map((line) => eventText('line', line, line.id))
    last = lines.at(-1)?.id ?? last
    if (state !== shown) events.push(eventText('run', facts))
    shown = state
    const isEnd = run.finishedAt !== null && lines.length < batch
    if (isEnd) events.push(eventText('end', facts))
    if (events.length === 0 && now() - quietSince >= heartbeatMs) events.push(': heartbeat\n\n')
    if (events.length > 0) {
      quietSince = now()
      yield events.join('')
    }
    if (isEnd) return woken.cancel()
    if (lines.length < batch) await woken.wait(lookMs)
    else woken.cancel()
  }
}

const eventText = (name: string, data: HandlerLogLine | HandlerRun, id?: number): string =>
  `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`
