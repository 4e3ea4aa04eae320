import type { Outcome, SandboxLimits } from './sandbox.ts'

/** The most characters of JSON that cross at once: an input, a call, an answer, a value. */
export const maxTextLength = 1_000_000
/** The longest line of a log; more is cut off. */
export const maxLineLength = 8000
/** Values that are nested deeper are refused: code that stores them would run out of stack. */
export const deepestValue = 100

/** What a thread starts with. */
export interface ThreadData {
  wasm: WebAssembly.Module
  memoryPages: number
  shared: SharedArrayBuffer
}

interface JobOf {
  /** Another owner gets a memory of its own. */
  owner: string
  code: string
  name: string
  limits: SandboxLimits
}

export type Job =
  | (JobOf & {
      type: 'run'
      prelude: string
      function: string | null
      input: string
      calls: readonly string[]
    })
  | (JobOf & { type: 'batch'; function: string; inputs: readonly string[] })
  | (JobOf & { type: 'check' })

/** An outcome whose value is still JSON. */
export type JsonOutcome =
  | Exclude<Outcome, { outcome: 'returned' }>
  | { outcome: 'returned'; json: string }

export type ThreadMessage =
  /** The number that the system has for the thread, on Linux. */
  | { type: 'ready'; thread: number | null }
  | { type: 'log'; text: string }
  | { type: 'call'; name: string; args: string }
  | {
      type: 'end'
      outcome: JsonOutcome
      /** Of a batch: those of the inputs before the one that ended it, if one did. */
      results: JsonOutcome[]
      /** The thread runs nothing more. */
      isSpent: boolean
    }

/** What is in the shared memory: numbers first, then the answer to a call. */
export const slots = { state: 0, length: 1, fuel: 2, item: 3 } as const
/** The item of a batch whose program has not been read yet. */
export const notStarted = -1
const bytesOfSlots = 16
/** UTF-8 takes three bytes at most for what JavaScript counts as one character. */
export const bytesOfAnswer = 3 * maxTextLength

export function sharedMemory(shared: SharedArrayBuffer) {
  return {
    numbers: new Int32Array(shared, 0, bytesOfSlots / 4),
    answer: new Uint8Array(shared, bytesOfSlots),
  }
}

export const newSharedMemory = () => new SharedArrayBuffer(bytesOfSlots + bytesOfAnswer)
