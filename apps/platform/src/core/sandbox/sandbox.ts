/** Limits of a program. */
export interface SandboxLimits {
  /**
   * Interpreter fuel, about five thousand steps per unit. A program uses the same fuel on every
   * machine, however busy.
   */
  fuel: number
  /** CPU time excluding calls: ends what fuel does not cover. */
  computeMs: number
  /** Wall time from start to end, including calls. */
  deadlineMs: number
  logLines: number
  logCharacters: number
  calls: number
}

export const sandboxLimits: SandboxLimits = {
  fuel: 10_000,
  computeMs: 30_000,
  deadlineMs: 60_000,
  logLines: 1000,
  logCharacters: 100_000,
  calls: 10_000,
}

/** A platform function that programs can call. It takes and returns JSON. */
export type HostCall = (...args: readonly unknown[]) => Promise<unknown>

/** A failed call that the program sees, with its properties, and may catch. */
export class CallError extends Error {
  override readonly name: string
  readonly properties: Readonly<Record<string, unknown>>

  constructor(name: string, message: string, properties: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.name = name
    this.properties = properties
  }
}

/** A program's slot. */
export interface Turn {
  /**
   * Gives up the slot while a call waits for a person: the program keeps its thread and still counts
   * for its owner.
   */
  leave: <Result>(work: () => Promise<Result>) => Promise<Result>
}

export interface LogLine {
  /** Milliseconds since the program started. */
  at: number
  text: string
}

/** The position of an error in a program; null if it is not in the program. */
export interface Place {
  line: number | null
  column: number | null
}

export interface Thrown extends Place {
  outcome: 'threw'
  name: string
  message: string
  stack: string
}

export type StopReason = 'deadline' | 'fuel' | 'memory' | 'log' | 'cancelled'

export type Outcome =
  | { outcome: 'returned'; value: unknown }
  | Thrown
  | { outcome: 'stopped'; reason: StopReason }

interface Used {
  fuel: number
  milliseconds: number
}

export type RunResult = Outcome & Used & { log: LogLine[] }

export interface RunInput {
  /** The program's owner: owners take turns, and none sees another's memory. */
  owner: string
  /** JavaScript. Its value is that of its last expression. */
  code: string
  /** Its file name in stack traces. */
  name?: string
  /** Calls this function of the program with the input; it may return a promise. */
  function?: string
  /** JSON that the program sees as `input`. */
  input?: unknown
  /** By the names under which the program calls them, such as `se.select`. */
  calls?: Readonly<Record<string, HostCall>>
  /** The platform's JavaScript that runs first, with the same globals. */
  prelude?: string
  limits?: Partial<SandboxLimits>
  signal?: AbortSignal | undefined
  /** When its turn comes. */
  onTurn?: (turn: Turn) => void
  /** Each line as it is written. */
  onLog?: (line: LogLine) => void
}

export interface BatchInput extends Pick<RunInput, 'owner' | 'code' | 'name' | 'signal'> {
  /**
   * Called with each input. It must be pure: the same result for the same input, whatever came
   * before.
   */
  function: string
  inputs: readonly unknown[]
  /** Per input. */
  limits?: Partial<Pick<SandboxLimits, 'fuel' | 'computeMs'>>
}

/** Runs untrusted JavaScript: in separate threads, with limits on memory, time and log. */
export interface Sandbox {
  /**
   * Runs a program once. Its failures are outcomes.
   * @throws ProblemError `limit_reached` if too many of this owner wait, `invalid_request` if an
   * input is too large.
   */
  run: (input: RunInput) => Promise<RunResult>
  /** Runs a function of a program on many inputs, without calls and log: for decoders. */
  runBatch: (input: BatchInput) => Promise<Used & { results: Outcome[] }>
  /** The syntax error of a program, or null. */
  check: (input: Pick<RunInput, 'owner' | 'code' | 'name'>) => Promise<Thrown | null>
  close: () => Promise<void>
}

export interface SandboxSettings {
  /** Threads that run programs concurrently. */
  most: number
  /** The same per owner, and how many of its programs may queue. */
  maxOfOwner: number
  maxWaiting: number
  /** Programs that may wait for people, in addition to running ones. */
  maxAway: number
  /** Threads kept ready after the first program. */
  ready: number
  /** Per thread, in pages of 64 KiB: 32 MiB. */
  memoryPages: number
}
