import type { ScriptRunCause } from '@grove/contract/maple/program/script'
import type { ScriptCause, ScriptRunState } from '@grove/contract/maple/program/script.rules'
import type { Actor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import type { LogLine, RunResult, SandboxLimits, Turn } from '../../../../core/sandbox/sandbox.ts'
import { scopeOfService } from '../../../../core/scope.ts'
import type { ProgramContext } from '../context.ts'
import { secretHandles } from '../secret/secret-handles.ts'
import { openSecrets } from '../secret/secret.service.ts'
import { withSession } from '../../card/session/open-session.ts'
import { runQuestions } from './run-questions.ts'
import { sessionCalls } from './script-calls.ts'
import { personCalls, steppedCalls } from './script-person-calls.ts'
import { scriptPrelude } from './script-prelude.ts'
import {
  finishRun,
  setRunSession,
  writeLog,
  type RunEnd,
  type RunWork,
} from './script-run.queries.ts'
import { ownerOf, scriptFile } from './script.service.ts'

/** A card may take seconds for a command, and a person minutes: most time passes in calls. */
const limitsOf = ({ isStepped }: RunWork): Partial<SandboxLimits> => ({
  deadlineMs: (isStepped ? 60 : 15) * 60_000,
})

/** How often the log is written while a script runs. */
const logMs = 400

/** The person who started it, with what they may do in a session. */
const actorOf = ({ id, startedBy, serviceId, allows }: RunWork): Actor => ({
  id: startedBy ?? '',
  roles: [],
  sessionId: undefined,
  origin: { requestId: id, ip: '', userAgent: 'script.run' },
  mandate: { rights: ['session.run', ...allows], scope: scopeOfService(serviceId) },
})

interface Ran extends RunEnd {
  sessionId: string | undefined
  /** The element could not be reached now. */
  isTransient: boolean
}

interface RunOptions {
  onSession?: ((sessionId: string) => Promise<unknown>) | undefined
  /** The person who started it is not at its page: a rollout. */
  asksNobody?: boolean
}

/** Runs a script on one element in a separate session, and stores the outcome. */
export async function runOne(
  context: ProgramContext,
  work: RunWork,
  stopping: AbortSignal,
  { onSession, asksNobody = false }: RunOptions = {},
): Promise<Ran> {
  const cancelling = new AbortController()
  const signal = AbortSignal.any([stopping, cancelling.signal])
  const log: LogLine[] = []
  const writing = setInterval(() => {
    void writeLog(context.db, work.id, log)
      .then((isCancelled) => isCancelled && cancelling.abort())
      .catch(() => {})
  }, logMs)
  let ran: Ran
  try {
    ran = await attempt(context, work, { signal, log, onSession, asksNobody })
  } finally {
    clearInterval(writing)
  }
  const isStopping = stopping.reason === 'stopping' || stopping.reason === 'lost'
  const end = isStopping && ran.state === 'cancelled' ? stoppedEnd(ran) : ran
  await finishRun(context.db, work.id, end)
  return end
}

/** Not cancelled: the process is stopping. */
const stoppedEnd = (ran: Ran): Ran => ({
  ...ran,
  state: 'failed',
  cause: causeOf('cut_off', 'The server stopped while the script ran.'),
})

interface Watch extends RunOptions {
  signal: AbortSignal
  log: LogLine[]
}

async function attempt(
  context: ProgramContext,
  work: RunWork,
  { signal, log, onSession, asksNobody }: Watch,
): Promise<Ran> {
  const actor = actorOf(work)
  const { cplc } = work
  let sessionId: string | undefined
  try {
    return await withSession(context, actor, { cplc, purpose: 'program' }, async (session) => {
      sessionId = session.id
      await setRunSession(context.db, work.id, session.id)
      await onSession?.(session.id)
      const values = await openSecrets(context, { type: 'script', id: work.scriptId })
      const handles = secretHandles(withUpperCase(values))
      let turn: Turn | undefined
      const ask = runQuestions({ db: context.db, runId: work.id, signal, turn: () => turn })
      const calls = sessionCalls(context, actor, session, handles)
      const result = await context.sandbox.run({
        owner: ownerOf(work.serviceId),
        code: work.code ?? '',
        name: scriptFile,
        input: work.input,
        prelude: scriptPrelude,
        calls: {
          ...(work.isStepped && !asksNobody ? steppedCalls(calls, ask, handles) : calls),
          ...personCalls(asksNobody ? undefined : ask, handles),
        },
        limits: limitsOf(work),
        signal,
        onTurn: (given) => (turn = given),
        onLog: (line) => log.push(line),
      })
      return { ...endOf(result), sessionId, isTransient: false }
    })
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const isTransient = error.code === 'lease_held' || error.code === 'transport_missing'
    const cause = { ...causeOf('refused', error.message), name: error.code }
    return { ...nothing, state: 'skipped', cause, log, sessionId, isTransient }
  }
}

/** As replies have bytes. */
const withUpperCase = (secrets: ReadonlyMap<string, string>) =>
  new Map([...secrets].map(([name, value]) => [name, value.toUpperCase()]))

const nothing = { value: null, fuel: 0, milliseconds: 0 }

export const causeOf = (code: ScriptCause, message: string): ScriptRunCause => ({
  code,
  name: '',
  message,
  line: null,
  column: null,
})

function endOf(result: RunResult): RunEnd {
  const { log, fuel, milliseconds } = result
  const used = { log, fuel, milliseconds, value: null }
  switch (result.outcome) {
    case 'returned':
      return { ...used, state: 'succeeded', cause: null, value: JSON.stringify(result.value) }
    case 'threw': {
      const { name, message, line, column } = result
      return { ...used, state: 'failed', cause: { code: 'threw', name, message, line, column } }
    }
    case 'stopped': {
      const { reason } = result
      return { ...used, state: stateOf[reason], cause: causeOf(reason, stopTexts[reason]) }
    }
  }
}

type Reason = Extract<RunResult, { outcome: 'stopped' }>['reason']

const stateOf: Record<Reason, ScriptRunState> = {
  deadline: 'timed_out',
  fuel: 'timed_out',
  memory: 'failed',
  log: 'failed',
  cancelled: 'cancelled',
}

const stopTexts: Record<Reason, string> = {
  deadline: 'The script took too long.',
  fuel: 'The script took too many steps: is there an endless loop?',
  memory: 'The script used too much memory.',
  log: 'The script wrote too much to its log.',
  cancelled: 'The run was cancelled.',
}
