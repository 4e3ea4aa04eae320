import { sql, type QueryExecutorProvider } from 'kysely'
import type { Origin } from './http/add-call.ts'

export interface AuditEntry {
  /** The user id, or null for a stranger. */
  actor: string | null
  /** What was done: `product.update`. */
  action: string
  subject: string
  origin: Origin
  before?: unknown
  after?: unknown
}

/**
 * Writes one row into `<schema>.audit`, the table that each service's first migration makes.
 * Call it in the transaction of the change itself, so that neither exists without the other.
 */
export async function audit(
  db: QueryExecutorProvider,
  schema: 'auth' | 'cedar' | 'maple',
  entry: AuditEntry,
) {
  await sql`
    insert into ${sql.table(`${schema}.audit`)}
      (actor, action, subject, ip, user_agent, request_id, before, after)
    values (${entry.actor}, ${entry.action}, ${entry.subject}, ${entry.origin.ip},
      ${entry.origin.userAgent}, ${entry.origin.requestId},
      ${json(entry.before)}::jsonb, ${json(entry.after)}::jsonb)
  `.execute(db)
}

const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value))
