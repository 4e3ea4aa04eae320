import { notStarted } from './messages.ts'
import type { Outcome } from './sandbox.ts'

/** Inputs per message: one message per event is twelve times as expensive. */
const maxInputs = 256

interface Ran {
  outcome: Outcome
  /** Of the inputs before the one that ended the batch, if one did. */
  results: Outcome[]
  /** The current input. */
  at: number
  fuel: number
  milliseconds: number
}

/**
 * Runs a batch. An input that ended it gets that outcome; inputs lost with a killed thread are rerun,
 * and the rest runs as a new batch.
 */
export async function runInBatches(
  inputs: readonly string[],
  run: (inputs: readonly string[]) => Promise<Ran>,
): Promise<{ results: Outcome[]; fuel: number; milliseconds: number }> {
  const results: Outcome[] = []
  let fuel = 0
  let milliseconds = 0
  let end = 0
  while (results.length < inputs.length) {
    const from = results.length
    if (end <= from) end = Math.min(from + maxInputs, inputs.length)
    const ran = await run(inputs.slice(from, end))
    fuel += ran.fuel
    milliseconds += ran.milliseconds
    results.push(...ran.results)
    if (ran.results.length === end - from) continue
    const { outcome } = ran
    if (ran.at === notStarted) {
      // The program itself fails, or nobody waits for it any more.
      results.push(...inputs.slice(results.length).map(() => outcome))
      break
    }
    if (ran.results.length === ran.at) results.push(outcome)
    // The earlier results were lost with the thread.
    else end = from + ran.at
    if (results.length > from) end = 0
  }
  return { results, fuel, milliseconds }
}
