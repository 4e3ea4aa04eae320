import type { QueryExecutorProvider } from 'kysely'
import type { Actor } from '../actor.ts'
import type { Events, JobAction } from '../events/define-events.ts'
import type { ListQuery } from '../database/define-list.ts'
import { atRevision } from '../http/at-revision.ts'
import { fieldProblem } from '../http/problem.ts'
import type { Records, RecordRow, ValuesOf } from './define-records.ts'

interface RecordRules<Row extends RecordRow, Input, Subject extends string> {
  /** The resource's name in refusals, such as "Maple account". */
  what: string
  /** The prefix of its events. */
  subject: Subject
  events: Events<`${Subject}.${'create' | 'update' | 'delete'}` | JobAction>
  /** The stored values of an input, with defaults for what is omitted. */
  stored: (input: Input) => ValuesOf<Row>
}

/** What the functions need of a service's context, whatever its tables. */
interface Context {
  db: QueryExecutorProvider & {
    transaction: () => {
      execute: <T>(change: (tx: QueryExecutorProvider) => Promise<T>) => Promise<T>
    }
  }
}

/** A row's id, and the revision that a change is based on; without one the change always applies. */
interface RecordAt {
  id: string
  revision: number | undefined
}

/**
 * Lists, creates, changes and deletes the rows of `defineRecords`. A change locks its row, compares
 * the revision and writes its event in one transaction. A resource with further rules has functions
 * of its own (`device.service.ts`).
 */
export function recordService<
  Row extends RecordRow,
  Query extends ListQuery,
  Input,
  Subject extends string,
>(
  records: Records<Row, Query>,
  { what, subject, events, stored }: RecordRules<Row, Input, Subject>,
) {
  return {
    list: ({ db }: Context, _actor: Actor, query: Query) => records.read(db, query),

    /** @throws ProblemError `already_exists`. */
    create: ({ db }: Context, actor: Actor, input: Input): Promise<Row> =>
      db.transaction().execute(async (tx) => {
        const values = stored(input)
        const after = await records.insert(tx, values)
        if (!after)
          throw fieldProblem(
            'already_exists',
            'id',
            `A ${what} with the id ${values.id} already exists.`,
          )
        await events.record(tx, actor, `${subject}.create`, after.id, { after })
        return after
      }),

    /**
     * Changes the given fields. A change without effect leaves the revision.
     * @throws ProblemError `not_found` or `edit_conflict`.
     */
    update: (
      { db }: Context,
      actor: Actor,
      { id, revision, change }: RecordAt & { change: Partial<Input> },
    ): Promise<Row> =>
      db.transaction().execute(async (tx) => {
        const before = atRevision(await records.lock(tx, id), revision, what)
        const after = await records.update(tx, stored({ ...before, ...change } as Input))
        if (!after) return before
        await events.record(tx, actor, `${subject}.update`, id, { before, after })
        return after
      }),

    /** @throws ProblemError `not_found` or `edit_conflict`. */
    remove: ({ db }: Context, actor: Actor, { id, revision }: RecordAt): Promise<null> =>
      db.transaction().execute(async (tx) => {
        const before = atRevision(await records.lock(tx, id), revision, what)
        await records.delete(tx, id)
        await events.record(tx, actor, `${subject}.delete`, id, { before })
        return null
      }),
  }
}
