/** How much a program may use. */
export interface SandboxLimits {
  /**
   * Turns of the interpreter, about five thousand steps each. The same program uses the same fuel on
   * every machine, however busy it is.
   */
  fuel: number
  /** The time that it computes, its calls apart: ends what fuel does not count. */
  computeMs: number
  /** The time from its start to its end, calls and all. */
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

/** A function of the platform that a program calls. It takes and gives JSON. */
export type HostCall = (...args: readonly unknown[]) => Promise<unknown>

/** A failure of a call that the program sees, with its properties, and may catch. */
export class CallError extends Error {
  override readonly name: string
  readonly properties: Readonly<Record<string, unknown>>

  constructor(name: string, message: string, properties: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.name = name
    this.properties = properties
  }
}

/** The place of a program among those that run. */
export interface Turn {
  /**
   * Leaves the place to others while a call waits for a person: the program keeps its thread and counts
   * among those of its owner.
   */
  leave: <Result>(work: () => Promise<Result>) => Promise<Result>
}

export interface LogLine {
  /** Milliseconds since the program started. */
  at: number
  text: string
}

/** Where an error of a program is; null where the program is not the place. */
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
  /** Whose program it is: owners take turns, and none sees the memory of another. */
  owner: string
  /** JavaScript. Its value is that of its last expression. */
  code: string
  /** The name of its file in stacks. */
  name?: string
  /** Calls this function of the program with the input; its answer may be a promise. */
  function?: string
  /** JSON that the program has as `input`. */
  input?: unknown
  /** By the names that the program calls them, such as `se.select`. */
  calls?: Readonly<Record<string, HostCall>>
  /** JavaScript of the platform that runs first, in the same globals. */
  prelude?: string
  limits?: Partial<SandboxLimits>
  signal?: AbortSignal | undefined
  /** When its turn has come. */
  onTurn?: (turn: Turn) => void
  /** Each line as it is written. */
  onLog?: (line: LogLine) => void
}

export interface BatchInput extends Pick<RunInput, 'owner' | 'code' | 'name' | 'signal'> {
  /** Is called with each input. It must answer the same for the same input, whatever came before. */
  function: string
  inputs: readonly unknown[]
  /** Of each input. */
  limits?: Partial<Pick<SandboxLimits, 'fuel' | 'computeMs'>>
}

/** Runs JavaScript of strangers: in threads of its own, with a share of memory, time and log. */
export interface Sandbox {
  /**
   * Runs a program once. Its failures are outcomes.
   * @throws ProblemError `limit_reached` when too many of this owner wait, `invalid_request` for an
   * input that is too large.
   */
  run: (input: RunInput) => Promise<RunResult>
  /** Runs a function of a program on many inputs, without calls and log: for decoders. */
  runBatch: (input: BatchInput) => Promise<Used & { results: Outcome[] }>
  /** The syntax error of a program, or null. */
  check: (input: Pick<RunInput, 'owner' | 'code' | 'name'>) => Promise<Thrown | null>
  close: () => Promise<void>
}

export interface SandboxSettings {
  /** Threads that run programs at once. */
  most: number
  /** The same of one owner, and how many of its programs may wait. */
  maxOfOwner: number
  maxWaiting: number
  /** Programs that may wait for people beside those that run. */
  maxAway: number
  /** Threads that are kept ready, once there was a first program. */
  ready: number
  /** Of one thread, in pages of 64 KiB: 32 MiB. */
  memoryPages: number
}
