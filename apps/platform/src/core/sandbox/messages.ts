import type { Outcome, SandboxLimits } from './sandbox.ts'

/** Maximum characters of JSON per transfer: an input, a call, an answer, a value. */
export const maxTextLength = 1_000_000
/** Maximum length of a log line; the rest is dropped. */
export const maxLineLength = 8000
/** Deeper nesting is refused: code that stores the values would overflow the stack. */
export const deepestValue = 100

/** Start-up data of a thread. */
export interface ThreadData {
  wasm: WebAssembly.Module
  memoryPages: number
  shared: SharedArrayBuffer
}

interface JobOf {
  /** Another owner gets fresh memory. */
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
  /** The operating system's thread id, on Linux. */
  | { type: 'ready'; thread: number | null }
  | { type: 'log'; text: string }
  | { type: 'call'; name: string; args: string }
  | {
      type: 'end'
      outcome: JsonOutcome
      /** In a batch: those of the inputs before the one that ended it, if one did. */
      results: JsonOutcome[]
      /** The thread cannot be reused. */
      isSpent: boolean
    }

/** The layout of the shared memory: numbers first, then the answer to a call. */
export const slots = { state: 0, length: 1, fuel: 2, item: 3 } as const
/** The batch item before the program is parsed. */
export const notStarted = -1
const bytesOfSlots = 16
/** UTF-8 takes at most three bytes per UTF-16 code unit. */
export const bytesOfAnswer = 3 * maxTextLength

export function sharedMemory(shared: SharedArrayBuffer) {
  return {
    numbers: new Int32Array(shared, 0, bytesOfSlots / 4),
    answer: new Uint8Array(shared, bytesOfSlots),
  }
}

export const newSharedMemory = () => new SharedArrayBuffer(bytesOfSlots + bytesOfAnswer)
