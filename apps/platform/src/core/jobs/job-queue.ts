import type { QueryExecutorProvider } from 'kysely'
import { seal } from '../sealed.ts'
import { maxAttemptsOf, type AnyJobDefinitions } from './define-jobs.ts'
import { insertJob } from './job.queries.ts'
import { traceparent } from '../tracing/tracing.ts'
import type { JobStore } from './job-tables.ts'

export interface EnqueueOptions {
  /**
   * The owner for fair scheduling: the provider that it works for, or the person if there is none.
   * Null for a job of the platform itself.
   */
  owner: string | null
  /** Not before this time. */
  runAt?: Date
  /** Deduplication: while a job of this name and key is waiting, no second one is queued. */
  key?: string
  /** The id of the requesting user. */
  createdBy?: string
  /** The scope that it works for, in a service whose jobs are scoped. */
  scope?: string | null
}

/** Queues the jobs of one service; `Inputs` maps names to inputs. */
export interface JobQueue<Inputs> {
  /**
   * Queues a job in the transaction of the change that needs it, so that neither exists without the
   * other. Returns its id, or null if one with its key is already waiting.
   */
  enqueue<Name extends keyof Inputs & string>(
    this: void,
    tx: QueryExecutorProvider,
    name: Name,
    input: Inputs[Name],
    options: EnqueueOptions,
  ): Promise<string | null>
  /** Makes this process's runner look for due jobs. */
  nudge: () => void
}

// Longer than any of our encrypted inputs, so that lengths reveal nothing in a copy of the table.
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
        traceparent: traceparent(),
        scope,
      })
      options.nudge()
      return id
    },
  }
}

const padded = (json: string) =>
  json + ' '.repeat(Math.max(0, paddedBytes - Buffer.byteLength(json)))
