import { sql, type QueryExecutorProvider } from 'kysely'
import type { AnyActor } from './actor.ts'

/** The subject before and after the change; a creation has no `before`. */
export interface Change {
  before?: unknown
  after?: unknown
}

/** Writes one entry; the transaction is that of the change. */
export type Audit<Action extends string> = (
  tx: QueryExecutorProvider,
  actor: Pick<AnyActor, 'id' | 'origin'>,
  action: Action,
  subject: string,
  change?: Change,
) => Promise<void>

/**
 * The audit trail of one service: `<schema>.audit`, the table that its first migration creates.
 *
 *     export const audit = defineAudit<'tree.plant' | 'tree.fell'>('orchard')
 *     await audit(tx, actor, 'tree.fell', id, { before })
 *
 * Call it in the transaction of the change itself, so that neither exists without the other.
 */
export const defineAudit =
  <Action extends string>(schema: string): Audit<Action> =>
  async (tx, actor, action, subject, { before, after } = {}) => {
    const { ip, userAgent, requestId } = actor.origin
    await sql`
      insert into ${sql.table(`${schema}.audit`)}
        (actor, action, subject, ip, user_agent, request_id, before, after)
      values (${actor.id}, ${action}, ${subject}, ${ip}, ${userAgent}, ${requestId},
        ${json(before)}::jsonb, ${json(after)}::jsonb)
    `.execute(tx)
  }

const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value))
