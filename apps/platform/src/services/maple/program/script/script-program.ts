import { randomUUID } from 'node:crypto'
import type { ScriptVersion } from '@grove/contract/maple/program/script'
import { maxInputValueLength } from '@grove/contract/maple/program/script.rules'
import type { Actor } from '../../../../core/actor.ts'
import { invalidField } from '../../../../core/http/problem.ts'
import { scopeOf, serviceOf, type Scope } from '../../../../core/scope.ts'
import type { ProgramContext } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { runOne } from './run-script.ts'
import { insertRuns, nextRun } from './script-run.queries.ts'
import { allowedTo } from './script-run.service.ts'
import { scripts } from './script.queries.ts'

interface At {
  id: string
  scope: Scope
}

interface Run {
  actor: Actor
  version: ScriptVersion & { scriptId: string }
  input: Readonly<Record<string, unknown>>
  target: { cplc?: string; deviceId: string }
  signal: AbortSignal
  onSession?: (sessionId: string) => Promise<unknown>
}

/** A script as a rollout program: each run is also one of the script's runs, with its log. */
export const scriptProgram = {
  kind: 'script' as const,
  needsElement: true,

  async describe({ db }: Pick<MapleContext, 'db'>, { id, scope }: At) {
    const found = await scripts.find(db, id, scope)
    if (!found || found.version === null) return undefined
    return { name: found.name, version: String(found.version) }
  },

  /** The chosen version, whatever is published meanwhile. */
  async load({ db }: ProgramContext, { id, scope, version }: At & { version: string }) {
    if (!(await scripts.find(db, id, scope))) return undefined
    const found = await scripts.versions.find(db, { owner: id, number: Number(version) })
    return found && { ...found, scriptId: id }
  },

  readInput(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
    for (const [name, value] of Object.entries(input))
      if (typeof value !== 'string' || value.length > maxInputValueLength)
        throw invalidField(
          `program.input.${name}`,
          'type',
          `A value is a text of at most ${maxInputValueLength} characters.`,
        )
    return { ...input }
  },

  /** Only another script can undo what a script did. */
  hasWayBack: () => false,

  async run(
    context: ProgramContext,
    { actor, version, input, target: { cplc }, signal, onSession }: Run,
  ) {
    if (cplc === undefined) return { state: 'skipped' as const, cause: 'element_gone' }
    const { db } = context
    const batchId = randomUUID()
    await insertRuns(db, {
      scriptId: version.scriptId,
      serviceId: serviceOf(scopeOf(actor)),
      batchId,
      cplcs: [cplc],
      version: version.number,
      code: null,
      input: Object.fromEntries(
        Object.entries(input).map(([name, value]) => [name, String(value)]),
      ),
      allows: allowedTo(actor),
      replayOf: null,
      isStepped: false,
      startedBy: actor.id,
    })
    const work = await nextRun(db, batchId)
    if (!work) return { state: 'failed' as const, cause: 'cancelled' }
    const ran = await runOne(context, work, signal, { onSession, asksNobody: true })
    const { sessionId, cause } = ran
    // A rollout tries it again: a device that is away, or busy, is not done with.
    if (ran.isTransient) {
      const code = cause?.name === 'lease_held' ? 'session_busy' : 'no_route'
      return {
        state: 'failed' as const,
        cause: code,
        ...(sessionId !== undefined && { sessionId }),
        isTransient: true,
      }
    }
    return {
      state: programStates[ran.state] ?? ('failed' as const),
      ...(cause && { cause: cause.message }),
      ...(sessionId !== undefined && { sessionId }),
    }
  },
}

const programStates: Partial<Record<string, 'succeeded' | 'skipped' | 'timed_out'>> = {
  succeeded: 'succeeded',
  skipped: 'skipped',
  timed_out: 'timed_out',
}
