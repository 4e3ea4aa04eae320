import type { HandlerLogLine, HandlerRun } from '@grove/contract/maple/program/cloud-handler'
import { maxLogLineLength, maxLogLines } from '@grove/contract/maple/program/handler.rules'
import type { Egress } from '../../../../core/egress/egress.ts'
import type { Sandbox, RunResult, StopReason } from '../../../../core/sandbox/sandbox.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import type { KeyContext } from '../../card/key/key-provider.ts'
import { openSecrets } from '../secret/secret.service.ts'
import { appendLog, finishRun, type ClaimedRun } from './handler-run.queries.ts'
import { handlerPrelude, programCalls } from './program-calls.ts'

export interface RunContext extends KeyContext {
  sandbox: Sandbox
  egress: Egress
}

/** Fuel of a second of computing, about; the clock of the handler's own limit has the last word. */
const fuelOfSecond = 2000
const flushMs = 150
/** The stored part of a program's result. */
const maxResultLength = 16 * 1024

type Failure = NonNullable<HandlerRun['error']>

/** Runs a delivery once, with its log written while it runs, and writes down how it ended. */
export async function runHandler(
  context: RunContext,
  run: ClaimedRun,
  { signal, onChange }: { signal: AbortSignal; onChange: () => void },
): Promise<void> {
  const { db, now } = context
  const { limits, hosts, code } = run.program
  const log = logWriter(run, (lines) => appendLog(db, run.id, lines).then(onChange))
  const egress = context.egress.open({
    hosts,
    calls: limits.calls,
    bytes: limits.kilobytes * 1024,
    milliseconds: limits.milliseconds,
    signal,
  })
  const started = now()
  const ended = await attempt(async () => {
    const secrets = await openSecrets(context, { type: 'handler', id: run.handlerId })
    return context.sandbox.run({
      owner: run.serviceId ?? '',
      code,
      name: 'handler.js',
      prelude: handlerPrelude,
      input: eventOf(run),
      calls: programCalls({ egress, secrets, now, onFetch: (text) => log.write('fetch', text) }),
      limits: {
        deadlineMs: limits.milliseconds,
        computeMs: limits.milliseconds,
        fuel: Math.ceil((limits.milliseconds / 1000) * fuelOfSecond),
        logLines: maxLogLines,
      },
      signal,
      onLog: ({ text }) => log.write('info', text),
    })
  })
  // The server stops: the lease ends, and another process runs it.
  if (signal.aborted) {
    await log.end()
    return
  }
  const error = failureOf(ended)
  if (error) log.write('error', `${error.name}: ${error.message}`)
  await log.end()
  await finishRun(db, {
    id: run.id,
    handlerId: run.handlerId,
    attempt: run.attempt,
    version: run.version,
    error,
    result: 'outcome' in ended && ended.outcome === 'returned' ? resultOf(ended.value) : null,
    milliseconds: 'milliseconds' in ended ? Math.round(ended.milliseconds) : now() - started,
    calls: egress.count(),
    isTest: run.source === 'test',
  })
  onChange()
}

/** The `event` of the program. */
const eventOf = ({ id, type, attempt, source, event }: ClaimedRun) => ({
  ...(JSON.parse(event) as object),
  id,
  type,
  attempt,
  isTest: source === 'test',
})

/** A failure to run the program at all counts as a failed attempt too. */
async function attempt(work: () => Promise<RunResult>): Promise<RunResult | ProblemError> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ProblemError) return error
    throw error
  }
}

const stops: Record<StopReason, string> = {
  deadline: 'It exceeded its time limit.',
  fuel: 'It exceeded its computing limit.',
  memory: 'It exceeded its memory limit.',
  log: 'It exceeded its log limit.',
  cancelled: 'It was cancelled.',
}

function failureOf(ended: RunResult | ProblemError): Failure | null {
  const nowhere = { line: null, column: null }
  if (ended instanceof ProblemError) return { name: ended.code, message: ended.message, ...nowhere }
  if (ended.outcome === 'stopped')
    return { name: ended.reason, message: stops[ended.reason], ...nowhere }
  if (ended.outcome === 'returned') return null
  const { name, message, line, column } = ended
  return { name, message, line, column }
}

function resultOf(value: unknown): string | null {
  const json = JSON.stringify(value) ?? 'null'
  return json.length <= maxResultLength ? json : JSON.stringify(`${json.slice(0, 1000)}…`)
}

/** Writes lines a few times a second, one statement at a time. */
function logWriter(
  { attempt, lines: before }: ClaimedRun,
  store: (lines: Omit<HandlerLogLine, 'at'>[]) => Promise<void>,
) {
  let id = before
  let count = 0
  let waiting: Omit<HandlerLogLine, 'at'>[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const lines = waiting
    waiting = []
    if (lines.length > 0) writing = writing.then(() => store(lines))
    // Heard at the end.
    writing.catch(() => {})
  }
  return {
    write(level: HandlerLogLine['level'], text: string) {
      if (count > maxLogLines && level !== 'error') return
      count += 1
      id += 1
      waiting.push({ id, attempt, level, text: storable(text) })
      timer ??= setTimeout(flush, flushMs)
    },
    end() {
      flush()
      return writing
    },
  }
}

/** PostgreSQL stores no null character, and no unpaired surrogate. */
const storable = (text: string) =>
  text.slice(0, maxLogLineLength).toWellFormed().replaceAll('\u0000', '\u{FFFD}')
