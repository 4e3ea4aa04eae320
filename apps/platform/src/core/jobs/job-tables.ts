import { sql, type Generated } from 'kysely'
import type { Db } from '../database/database.ts'

export const jobStates = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const
export type JobState = (typeof jobStates)[number]

/** Why the last attempt failed. `message` is null if it could repeat an encrypted input. */
export interface JobFailure {
  code: string
  message: string | null
}

export interface JobTable {
  id: Generated<string>
  name: string
  /** The owner for fair scheduling; empty for the platform. */
  owner: Generated<string>
  /** Deduplicates waiting jobs by name and key. */
  key: string | null
  /** The start of its period, for a recurring job. */
  period: string | null
  state: JobState
  input: unknown
  sealed_input: string | null
  attempts: number
  max_attempts: number
  /** When a queued job may run; when a running one may be claimed by another process. */
  due_at: string
  /** New for each claim: a run that lost its claim writes nothing more. */
  claim: string | null
  progress_done: number | null
  progress_total: number | null
  cancel_requested_at: string | null
  failure: JobFailure | null
  failed_at: string | null
  created_by: string | null
  /** The trace position of whatever queued it, in the format of W3C Trace Context. */
  traceparent: Generated<string | null>
  created_at: string
  /** When it was queued, or last retried by an admin. */
  queued_at: string
  started_at: string | null
  finished_at: string | null
}

/** `<service>.job`, created by a migration of the service. */
export const jobTable = (schema: string) => sql.table(`${schema}.job`)

/** The job table of one service. `passedMs` advances the database's clock in tests. */
export interface JobStore {
  db: Db
  schema: string
  passedMs: () => number
}

/** The database's time, shared by all processes; at the start of the transaction. */
export const timeOf = ({ passedMs }: Pick<JobStore, 'passedMs'>, laterMs = 0) =>
  sql<string>`now() + ${passedMs() + laterMs}::float8 * interval '1 millisecond'`
