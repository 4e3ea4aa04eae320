/** What a run of a job works with beside its input. */
export interface JobRun {
  /** The same at every attempt: what a run sends elsewhere can carry it, so that a second copy is recognised. */
  id: string
  /** 1 at the first attempt. */
  attempt: number
  createdAt: string
  /** Aborts when an admin cancels the job, when the server stops, or when another process took the job over. */
  signal: AbortSignal
  /** Tells how far the run is; written to the database twice a second at most. */
  progress: (done: number, total: number) => void
}

export interface JobDefinition<Context, Input> {
  run: (context: Context, input: Input, job: JobRun) => Promise<void>
  /**
   * Encrypts the input at rest under a key of this purpose, padded so that its length says nothing.
   * Of a failure only codes are kept: a message may repeat the input.
   */
  sealedFor?: string
  /** 10 unless told. A run that a killed process left behind counts. */
  maxAttempts?: number
  /** Give up this long after the job was written, however few its attempts. */
  giveUpAfterMs?: number
  /** The wait before the second attempt, doubled for each further one: 10 s, up to an hour, unless told. */
  firstDelayMs?: number
  maxDelayMs?: number
  /** How many run at once in one process; 2 unless told, 1 of a recurring job. */
  atOnce?: number
  /** How many of these may be of one owner; half unless told, so that others always find a place. */
  maxOfOwner?: number
  /** Belongs to the platform itself, as mails do: nobody takes turns, and all run in their order. */
  isOwnless?: true
  /** Recurring: once in each period of this length, in one process of all. */
  everyMs?: number
  /** A process where this is false leaves the job to others. */
  canRun?: (context: Context) => boolean
}

export type JobDefinitions<Context, Inputs> = {
  readonly [Name in keyof Inputs]: JobDefinition<Context, Inputs[Name]>
}

/** Definitions as the runner sees them. */
export type AnyJobDefinitions = Record<string, JobDefinition<never, never>>

/**
 * The jobs of one service by name. `Inputs` is the table of names and inputs that `enqueue` is typed
 * by; a recurring job has the input `null`.
 */
export const defineJobs = <Context, Inputs extends Record<string, unknown>>(
  jobs: JobDefinitions<Context, Inputs>,
): JobDefinitions<Context, Inputs> => jobs

/** A failure that a run explains: its message is kept and shown to admins, so it must hold no secret. */
export class JobError extends Error {
  override readonly name = 'JobError'
  readonly code: string
  /** Trying again cannot help. */
  readonly isFinal: boolean

  constructor(code: string, message: string, options: { isFinal?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.code = code
    this.isFinal = options.isFinal ?? false
  }
}

const second = 1000
const hour = 3600 * second

type Definition = Omit<JobDefinition<never, never>, 'run' | 'canRun'>

export const maxAttemptsOf = ({ maxAttempts = 10 }: Definition): number => maxAttempts

/** A recurring job gives way to its next period. */
export const giveUpAfterMsOf = ({ giveUpAfterMs, everyMs }: Definition): number =>
  giveUpAfterMs ?? everyMs ?? Infinity

export const atOnceOf = ({ atOnce, everyMs }: Definition): number =>
  atOnce ?? (everyMs === undefined ? 2 : 1)

/** Of jobs that have owners. Recurring ones have none. */
export const maxOfOwnerOf = (definition: Definition): number =>
  definition.isOwnless || definition.everyMs !== undefined
    ? atOnceOf(definition)
    : (definition.maxOfOwner ?? Math.max(1, Math.floor(atOnceOf(definition) / 2)))

/** How long a job waits after its attempt of this number has failed. */
export function backOffMs(definition: Definition, attempt: number): number {
  const { firstDelayMs = 10 * second, maxDelayMs = hour } = definition
  return Math.min(firstDelayMs * 2 ** (attempt - 1), maxDelayMs)
}
