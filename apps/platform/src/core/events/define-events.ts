import { sql, type QueryExecutorProvider, type RawBuilder } from 'kysely'
import type { AnyActor } from '../actor.ts'
import { difference } from './difference.ts'
import { eventValue } from './event-value.ts'

/** The subject before and after the change; a creation has no `before`. Only differences are kept. */
export interface Change {
  before?: unknown
  after?: unknown
  /** The id of the subject's parent object, if the subject's own id does not tell. */
  of?: string
}

/** The action names of an admin's changes to jobs, in every service. */
export const jobActions = ['job.retry', 'job.cancel'] as const
export type JobAction = (typeof jobActions)[number]

export interface Events<Action extends string> {
  schema: string
  /** Every action that the service records, whichever resource defined it. */
  actions: () => string[]
  /** Actions whose events are never deleted, because the service reads them. */
  kept: readonly string[]
  /** Call it in the transaction of the change, so that neither exists without the other. */
  record: (
    tx: QueryExecutorProvider,
    actor: Pick<AnyActor, 'id' | 'origin'>,
    action: Action,
    subject: string,
    change?: Change,
  ) => Promise<void>
  /** The same for many subjects in one statement. */
  recordAll: (
    tx: QueryExecutorProvider,
    actor: Pick<AnyActor, 'id' | 'origin'>,
    action: Action,
    changes: readonly (Pick<Change, 'before' | 'after'> & { subject: string })[],
  ) => Promise<void>
}

/** What every process counts and writes once a minute (core/http/security-counter.ts). */
const securityActions = ['security.refused']

interface Options<Action> {
  /** Actions whose events are never deleted, because the service reads them. */
  kept?: readonly Action[]
  /** Additional columns of each event, computed from its subject's id when it is written. */
  columns?: (id: RawBuilder<unknown>) => Record<string, RawBuilder<unknown>>
}

const actionsOf = new Map<string, Set<string>>()

/**
 * Events of one service, or of one of its resources: rows of `<schema>.event`, which its migrations
 * create. They are the audit trail and are never changed.
 *
 *     export const events = defineEvents('orchard', ['tree.plant', 'tree.fell'])
 *     await events.record(tx, actor, 'tree.fell', id, { before })
 */
export function defineEvents<const Action extends string>(
  schema: string,
  actions: readonly Action[],
  { kept = [], columns = () => ({}) }: Options<NoInfer<Action>> = {},
): Events<Action | JobAction> {
  const known = actionsOf.get(schema) ?? new Set<string>([...jobActions, ...securityActions])
  for (const action of actions) known.add(action)
  actionsOf.set(schema, known)
  const added = (id: RawBuilder<unknown>) => {
    const further = Object.entries(columns(id))
    return [
      sql.join(
        further.map(([name]) => sql`, ${sql.ref(name)}`),
        sql``,
      ),
      sql.join(
        further.map(([, value]) => sql`, ${value}`),
        sql``,
      ),
    ] as const
  }
  return {
    schema,
    actions: () => [...known].toSorted(),
    kept,
    async record(tx, actor, action, subject, { before, after, of = subject } = {}) {
      const { ip, userAgent, requestId, partOf = null } = actor.origin
      const [was, is] = difference(before, after)
      const [names, values] = added(sql`${of}`)
      await sql`
        insert into ${sql.table(`${schema}.event`)}
          (actor, action, subject, ip, user_agent, request_id, part_of, before, after ${names})
        values (${actor.id}, ${action}, ${subject}, ${ip}, ${userAgent}, ${requestId}, ${partOf},
          ${eventValue(was)}::jsonb, ${eventValue(is)}::jsonb ${values})`.execute(tx)
    },
    async recordAll(tx, actor, action, changes) {
      const { ip, userAgent, requestId, partOf = null } = actor.origin
      const [names, values] = added(sql`given.subject`)
      const differences = changes.map(({ before, after }) => difference(before, after))
      await sql`
        insert into ${sql.table(`${schema}.event`)}
          (actor, action, subject, ip, user_agent, request_id, part_of, before, after ${names})
        select ${actor.id}, ${action}, subject, ${ip}, ${userAgent}, ${requestId}, ${partOf},
          before, after ${values}
        from unnest(
          ${changes.map(({ subject }) => subject)}::text[],
          ${differences.map(([was]) => eventValue(was))}::jsonb[],
          ${differences.map(([, is]) => eventValue(is))}::jsonb[]
        ) as given (subject, before, after)`.execute(tx)
    },
  }
}
