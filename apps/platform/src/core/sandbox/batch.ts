import { notStarted } from './messages.ts'
import type { Outcome } from './sandbox.ts'

/** Inputs of one message: one event a message costs twelve times as much. */
const maxInputs = 256

interface Ran {
  outcome: Outcome
  /** Of the inputs before the one that ended the batch, if one did. */
  results: Outcome[]
  /** The input that it was at. */
  at: number
  fuel: number
  milliseconds: number
}

/**
 * Runs a batch. An input that ended it gets that outcome; what a killed thread took with it is run
 * again, and what comes behind it in a batch of its own.
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
    // The results before it went with the thread.
    else end = from + ran.at
    if (results.length > from) end = 0
  }
  return { results, fuel, milliseconds }
}
