import type { QueryExecutorProvider } from 'kysely'
import { scopeOf, type Scope } from '../scope.ts'
import type { Actor } from '../actor.ts'
import type { Listed, ListQuery } from '../database/define-list.ts'
import { atRevision } from '../http/at-revision.ts'
import { ProblemError } from '../http/problem.ts'
import type { VersionFacts, Versions } from './define-versions.ts'

type ById = { id: string }
type AtRevision = ById & { revision: number | undefined }
type Noted = { note?: string | undefined }

/** What the functions need of a service's context, whichever tables it has. */
interface Context<Tx> {
  db: Tx & {
    transaction: () => { execute: <T>(change: (tx: Tx) => Promise<T>) => Promise<T> }
  }
}

interface Rules<Tx, Needs, Owner, Content extends object> {
  /** What a refusal calls the owner of versions, such as "script". */
  what: string
  versions: Versions<Content>
  /** Undefined for one of another service provider. */
  find: (db: Tx, id: string, scope: Scope) => Promise<Owner | undefined>
  /** The same, held for the transaction. */
  lock: (tx: Tx, id: string, scope: Scope) => Promise<Owner | undefined>
  /** What is published of a draft. */
  contentOf: (owner: Owner) => Content
  /** Throws when the draft cannot be published. */
  check: (context: Needs, actor: Actor, owner: Owner) => Promise<void>
  /** Writes the event. */
  record: (
    tx: Tx,
    actor: Actor,
    action: 'publish' | 'rollback',
    id: string,
    after: object,
  ) => Promise<void>
}

/** Publishes drafts as versions, brings earlier ones back, and reads them. */
export function versionService<
  Tx extends QueryExecutorProvider,
  Needs extends Context<Tx>,
  Owner extends { revision: number },
  Content extends object,
>({ what, versions, find, lock, contentOf, check, record }: Rules<Tx, Needs, Owner, Content>) {
  type Version = VersionFacts & Content

  const required = async ({ db }: { db: Tx }, actor: Actor, { id }: ById) =>
    atRevision(await find(db, id, scopeOf(actor)), undefined, what)

  /** @throws ProblemError `not_found`. */
  async function versionOf(
    db: QueryExecutorProvider,
    { owner, number }: { owner: string; number: number },
  ): Promise<Version> {
    const found = await versions.find(db, { owner, number })
    if (!found) throw new ProblemError('not_found', `The ${what} has no version ${number}.`)
    return found
  }

  async function insert(
    tx: Tx,
    actor: Actor,
    id: string,
    given: { content: Content; note: string; restoredFrom: number | null },
  ): Promise<Version> {
    const version = await versions.insert(tx, id, { ...given, publishedBy: actor.id })
    const { number, sha256, restoredFrom } = version
    const action = restoredFrom === null ? 'publish' : 'rollback'
    // The trail says which content it was, not the content itself.
    const after = { number, sha256, ...(restoredFrom !== null && { restoredFrom }) }
    await record(tx, actor, action, id, after)
    return version
  }

  /**
   * Publishes the draft.
   * @throws ProblemError `not_found`, `edit_conflict`, or what the check of the draft throws.
   */
  async function publish(
    context: Needs,
    actor: Actor,
    { id, revision, note = '' }: AtRevision & Noted,
  ): Promise<Version> {
    const found = atRevision(await find(context.db, id, scopeOf(actor)), revision, what)
    await check(context, actor, found)
    return context.db.transaction().execute(async (tx) => {
      // What was checked is what is published.
      atRevision(await lock(tx, id, scopeOf(actor)), found.revision, what)
      return insert(tx, actor, id, { content: contentOf(found), note, restoredFrom: null })
    })
  }

  /**
   * Publishes an earlier version again. The draft stays as it is.
   * @throws ProblemError `not_found` or `edit_conflict`.
   */
  const rollBack = (
    { db }: Context<Tx>,
    actor: Actor,
    { id, revision, number, note = '' }: AtRevision & Noted & { number: number },
  ): Promise<Version> =>
    db.transaction().execute(async (tx) => {
      atRevision(await lock(tx, id, scopeOf(actor)), revision, what)
      const content = await versionOf(tx, { owner: id, number })
      return insert(tx, actor, id, { content, note, restoredFrom: number })
    })

  /** @throws ProblemError `not_found`; BadCursorError. */
  async function list(
    context: { db: Tx },
    actor: Actor,
    { id, query }: ById & { query: ListQuery },
  ): Promise<Listed<VersionFacts>> {
    await required(context, actor, { id })
    return versions.list.read(context.db, query, id)
  }

  /** @throws ProblemError `not_found`. */
  async function read(
    context: { db: Tx },
    actor: Actor,
    { id, number }: ById & { number: number },
  ): Promise<Version> {
    await required(context, actor, { id })
    return versionOf(context.db, { owner: id, number })
  }

  return { publish, rollBack, list, read, versionOf }
}
