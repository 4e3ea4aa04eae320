/** The context of a job run, besides its input. */
export interface JobRun {
  /** The same at every attempt: it can serve as an idempotency key for external effects. */
  id: string
  /** 1 at the first attempt. */
  attempt: number
  createdAt: string
  /**
   * Aborts when an admin cancels the job, when the server stops, or when another process took the job
   * over.
   */
  signal: AbortSignal
  /** Reports progress; written to the database at most twice a second. */
  progress: (done: number, total: number) => void
}

export interface JobDefinition<Context, Input> {
  run: (context: Context, input: Input, job: JobRun) => Promise<void>
  /**
   * Encrypts the input at rest under a key of this purpose, padded so that its length reveals
   * nothing. Of a failure only codes are kept: a message may repeat the input.
   */
  sealedFor?: string
  /** Default 10. A run that a killed process left behind counts. */
  maxAttempts?: number
  /** Gives up this long after the job was queued, however few its attempts. */
  giveUpAfterMs?: number
  /** Delay before the second attempt, doubled for each further one up to an hour; default 10 s. */
  firstDelayMs?: number
  maxDelayMs?: number
  /** Concurrent runs in one process; default 2, 1 for a recurring job. */
  atOnce?: number
  /** How many of these may belong to one owner; default half, so that others always find a slot. */
  maxOfOwner?: number
  /** Belongs to the platform itself, as mails do: runs in order, without turns. */
  isOwnless?: true
  /** Recurring: once per period, in one process of all. */
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
 * The jobs of one service by name. `Inputs` maps names to inputs, which types `enqueue`; a recurring
 * job has the input `null`.
 */
export const defineJobs = <Context, Inputs extends Record<string, unknown>>(
  jobs: JobDefinitions<Context, Inputs>,
): JobDefinitions<Context, Inputs> => jobs

/**
 * A failure that a run explains: its message is stored and shown to admins, so it must not contain
 * secrets.
 */
export class JobError extends Error {
  override readonly name = 'JobError'
  readonly code: string
  /** Retrying cannot help. */
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

/** For jobs with owners; recurring ones have none. */
export const maxOfOwnerOf = (definition: Definition): number =>
  definition.isOwnless || definition.everyMs !== undefined
    ? atOnceOf(definition)
    : (definition.maxOfOwner ?? Math.max(1, Math.floor(atOnceOf(definition) / 2)))

/** The delay after a failed attempt, by its number. */
export function backOffMs(definition: Definition, attempt: number): number {
  const { firstDelayMs = 10 * second, maxDelayMs = hour } = definition
  return Math.min(firstDelayMs * 2 ** (attempt - 1), maxDelayMs)
}
