import { availableParallelism } from 'node:os'
import { ProblemError } from '../http/problem.ts'
import { runInBatches } from './batch.ts'
import { fairLine } from './fair-line.ts'
import { maxTextLength, notStarted, type Job } from './messages.ts'
import {
  sandboxLimits,
  type Outcome,
  type RunInput,
  type Sandbox,
  type SandboxSettings,
} from './sandbox.ts'
import { threadPool } from './thread-pool.ts'

// A program that talks to a card mostly waits, so there are more threads than cores.
const sandboxSettings: SandboxSettings = {
  most: Math.max(8, availableParallelism() * 2),
  maxOfOwner: 4,
  maxWaiting: 500,
  maxAway: 24,
  ready: 2,
  memoryPages: 512,
}

export function openSandbox(given: Partial<SandboxSettings> = {}): Sandbox {
  const settings = { ...sandboxSettings, ...given }
  const pool = threadPool(settings)
  const inLine = fairLine(settings)

  const perform = async (
    { owner, signal }: Pick<RunInput, 'owner' | 'signal'>,
    job: Job,
    { onTurn, ...watch }: Pick<RunInput, 'calls' | 'onLog' | 'onTurn'> = {},
  ) => {
    const ran = await inLine(owner, signal, async (turn) => {
      onTurn?.(turn)
      const thread = await pool.take(owner)
      const end = await thread.run(job, { ...watch, signal })
      pool.give(thread, { isSpent: end.isSpent })
      return end
    })
    return (
      ran ?? { outcome: cancelled, results: [], at: notStarted, log: [], fuel: 0, milliseconds: 0 }
    )
  }

  return {
    async run({ owner, signal, calls = {}, onLog, onTurn, limits, input = null, ...program }) {
      const { outcome, log, fuel, milliseconds } = await perform(
        { owner, signal },
        {
          type: 'run',
          owner,
          code: program.code,
          name: program.name ?? programName,
          prelude: program.prelude ?? '',
          function: functionName(program.function),
          input: jsonOf(input),
          calls: Object.keys(calls),
          limits: { ...sandboxLimits, ...limits },
        },
        { calls, ...(onLog && { onLog }), ...(onTurn && { onTurn }) },
      )
      return { ...outcome, log, fuel, milliseconds }
    },
    runBatch: ({ owner, code, name = programName, inputs, limits, signal, ...program }) =>
      runInBatches(
        inputs.map((input) => jsonOf(input)),
        (some) =>
          perform(
            { owner, signal },
            {
              type: 'batch',
              owner,
              code,
              name,
              function: functionName(program.function) ?? '',
              inputs: some,
              limits: { ...sandboxLimits, ...limits },
            },
          ),
      ),
    async check({ owner, code, name = programName }) {
      const { outcome } = await perform(
        { owner },
        { type: 'check', owner, code, name, limits: sandboxLimits },
      )
      return outcome.outcome === 'threw' ? outcome : null
    },
    close: () => pool.close(),
  }
}

const programName = 'program.js'
const cancelled: Outcome = { outcome: 'stopped', reason: 'cancelled' }

/** It becomes part of a program, so only an identifier is allowed. */
function functionName(name: string | undefined): string | null {
  if (name === undefined) return null
  if (!/^[A-Za-z_$][\w$]*$/.test(name)) throw new Error(`${name} cannot name a function.`)
  return name
}

function jsonOf(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null'
  if (text.length > maxTextLength)
    throw new ProblemError(
      'invalid_request',
      `The input of a program can have at most ${maxTextLength} characters as JSON.`,
    )
  return text
}
