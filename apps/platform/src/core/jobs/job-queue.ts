import type { QueryExecutorProvider } from 'kysely'
import { seal } from '../sealed.ts'
import { maxAttemptsOf, type AnyJobDefinitions } from './define-jobs.ts'
import { insertJob } from './job.queries.ts'
import type { JobStore } from './job-tables.ts'

export interface EnqueueOptions {
  /**
   * Whose turn it takes: the provider that it works for, or the person where there is none. Null for
   * a job that is the platform's own alone.
   */
  owner: string | null
  /** Not before this time. */
  runAt?: Date
  /** A job of this name and key that has not run yet is enough: no second one is written. */
  key?: string
  /** The id of the user who asked for it. */
  createdBy?: string
  /** What it works for, in a service whose jobs are limited to scopes. */
  scope?: string | null
}

/** Writes the jobs of one service; `Inputs` are its names and inputs. */
export interface JobQueue<Inputs> {
  /**
   * Writes a job in the transaction of the change that needs it, so that neither exists without the
   * other. Answers its id, or null when one of its key is waiting already.
   */
  enqueue<Name extends keyof Inputs & string>(
    this: void,
    tx: QueryExecutorProvider,
    name: Name,
    input: Inputs[Name],
    options: EnqueueOptions,
  ): Promise<string | null>
  /** Has the runner of this process look for due jobs. */
  nudge: () => void
}

// Longer than any of our sealed inputs: a copy of the table does not tell one from another.
const paddedBytes = 8192

export function createJobQueue<Inputs>(
  store: JobStore,
  definitions: AnyJobDefinitions,
  options: { secret: () => Promise<string>; nudge: () => void },
): JobQueue<Inputs> {
  return {
    nudge: options.nudge,
    async enqueue(tx, name, input, { owner, runAt, key, createdBy, scope = null }) {
      const definition = definitions[name]
      if (!definition) throw new Error(`There is no job ${name} in ${store.schema}.`)
      if ((owner === null) !== (definition.isOwnless ?? false))
        throw new Error(`A job ${name} ${owner === null ? 'needs an' : 'has no'} owner.`)
      const json = JSON.stringify(input)
      const isSealed = definition.sealedFor !== undefined
      const id = await insertJob(tx, store, {
        name,
        owner: owner ?? '',
        key: key ?? null,
        input: isSealed ? null : json,
        sealedInput: isSealed
          ? seal(padded(json), await options.secret(), definition.sealedFor ?? '')
          : null,
        maxAttempts: maxAttemptsOf(definition),
        runAt: runAt?.toISOString() ?? null,
        createdBy: createdBy ?? null,
        scope,
      })
      options.nudge()
      return id
    },
  }
}

const padded = (json: string) =>
  json + ' '.repeat(Math.max(0, paddedBytes - Buffer.byteLength(json)))
