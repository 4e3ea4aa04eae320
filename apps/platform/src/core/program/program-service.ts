import { isDeepStrictEqual } from 'node:util'
import type { QueryExecutorProvider } from 'kysely'
import type { VersionItem } from '@grove/contract/core/program'
import { scopeOf, serviceOf } from '../scope.ts'
import type { Actor } from '../actor.ts'
import type { Listed, ListQuery } from '../database/define-list.ts'
import { atRevision } from '../http/at-revision.ts'
import { ProblemError } from '../http/problem.ts'
import { storedName } from '../http/stored-name.ts'
import type { ProgramFacts, Programs } from './define-programs.ts'

type ById = { id: string }
type AtRevision = ById & { revision: number | undefined }
type Noted = { note?: string | undefined }

/** What the functions need of a service's context, whichever tables it has. */
interface Context<Tx> {
  db: Tx & {
    transaction: () => { execute: <T>(change: (tx: Tx) => Promise<T>) => Promise<T> }
  }
  now: () => number
}

/** A program before and after a change, and the version that the change created. */
interface Done<Opened> {
  before?: Opened
  after?: Opened
  version?: Pick<VersionItem, 'number' | 'sha256'> & { restoredFrom?: number }
}

interface Rules<Tx, Needs, Item, Opened extends Item, Content, Given, Draft, ShownItem, Shown> {
  /** Its name in refusals, such as "script". */
  what: string
  /** The most that a service provider can have. */
  most?: number
  /** Refuses a suspended service provider. @throws ProblemError */
  assertOpen: (tx: Tx, serviceId: string) => Promise<void>
  /** The draft before with the given changes. */
  draftOf: (given: Omit<Given, 'name'>, before: Opened | undefined) => Draft
  /** Throws when a draft cannot be stored. */
  checkDraft?: (draft: Draft, now: number) => void
  /** The draft as its table stores it, by column. */
  columnsOf: (draft: Draft, before: Opened | undefined, now: number) => Record<string, unknown>
  /** What is published of a draft. */
  contentOf: (program: Opened) => Content
  /** Throws when the draft cannot be published. */
  check?: (context: Needs, actor: Actor, program: Opened) => Promise<void>
  /** Throws when a draft or an earlier version cannot become the next version. */
  checkContent?: (tx: Tx, content: Content, program: Opened, now: number) => Promise<void> | void
  /** Further columns of the program that depend on its newest version. */
  live?: (content: Content, program: Opened, now: number) => Record<string, unknown>
  /** Throws when it cannot be deleted. */
  checkUnused?: (program: Opened) => void
  /** Writes the event. */
  record: (
    tx: Tx,
    actor: Actor,
    action: 'create' | 'update' | 'delete' | 'publish' | 'rollback',
    id: string,
    done: Done<Opened>,
  ) => Promise<void>
  shownItem: (actor: Actor, item: Item) => ShownItem
  shown: (actor: Actor, program: Opened) => Shown
}

/**
 * Lists, reads and deletes programs, changes their drafts, publishes these as versions and rolls back to
 * earlier ones.
 */
export function programService<
  Tx extends QueryExecutorProvider,
  Needs extends Context<Tx>,
  Item extends ProgramFacts,
  Opened extends Item,
  Content extends object,
  Query extends ListQuery,
  Given extends { name?: string | undefined },
  Draft extends object,
  ShownItem,
  Shown,
>(
  programs: Programs<Item, Opened, Content, Query>,
  rules: Rules<Tx, Needs, Item, Opened, Content, Given, Draft, ShownItem, Shown>,
) {
  type Version = VersionItem & Content
  const { what, most = Infinity, record, shown } = rules
  const { versions } = programs

  /** @throws ProblemError `not_found`, also for another service provider's program. */
  const required = async (db: Tx, actor: Actor, id: string) =>
    atRevision(await programs.find(db, id, scopeOf(actor)), undefined, what)

  const locked = async (tx: Tx, actor: Actor, { id, revision }: AtRevision) =>
    atRevision(await programs.lock(tx, id, scopeOf(actor)), revision, what)

  /** @throws ProblemError `not_found`. */
  async function versionOf(
    db: QueryExecutorProvider,
    { owner, number }: { owner: string; number: number },
  ): Promise<Version> {
    const found = await versions.find(db, { owner, number })
    if (!found) throw new ProblemError('not_found', `The ${what} has no version ${number}.`)
    return found
  }

  /** Adds the next version of a locked program. */
  async function insert(
    tx: Tx,
    actor: Actor,
    before: Opened,
    given: { content: Content; note: string; restoredFrom: number | null; now: number },
  ): Promise<Version> {
    const { content, note, restoredFrom, now } = given
    const { id } = before
    await rules.checkContent?.(tx, content, before, now)
    const version = await versions.insert(tx, id, {
      content,
      note,
      restoredFrom,
      publishedBy: actor.id,
      live: rules.live?.(content, before, now),
    })
    // The audit trail identifies the content, but does not contain it.
    const { number, sha256 } = version
    await record(tx, actor, restoredFrom === null ? 'publish' : 'rollback', id, {
      before,
      after: await required(tx, actor, id),
      version: { number, sha256, ...(restoredFrom !== null && { restoredFrom }) },
    })
    return version
  }

  return {
    required,
    locked,
    versionOf,

    /** @throws BadCursorError */
    list: async ({ db }: { db: Tx }, actor: Actor, query: Query): Promise<Listed<ShownItem>> => {
      const page = await programs.list.read(db, query, scopeOf(actor))
      return { ...page, items: page.items.map((item) => rules.shownItem(actor, item)) }
    },

    /** @throws ProblemError `not_found`. */
    read: async ({ db }: { db: Tx }, actor: Actor, { id }: ById): Promise<Shown> =>
      shown(actor, await required(db, actor, id)),

    /** @throws ProblemError `already_exists`, `limit_reached`, `service_suspended` or `invalid_request`. */
    create: (
      { db, now }: Context<Tx>,
      actor: Actor,
      { name: given, ...input }: Given & { name: string },
    ): Promise<Shown> => {
      const name = storedName('name', given)
      const draft = rules.draftOf(input, undefined)
      rules.checkDraft?.(draft, now())
      const serviceId = serviceOf(scopeOf(actor))
      return db.transaction().execute(async (tx) => {
        if (serviceId !== null) await rules.assertOpen(tx, serviceId)
        if (most < Infinity && (await programs.count(tx, serviceId)) >= most)
          throw new ProblemError('limit_reached', `There are at most ${most} ${what}s.`)
        const id = await programs.insert(tx, {
          ...rules.columnsOf(draft, undefined, now()),
          name,
          service_id: serviceId,
          created_by: actor.id,
        })
        const after = await required(tx, actor, id)
        await record(tx, actor, 'create', id, { after })
        return shown(actor, after)
      })
    },

    /**
     * Changes the name or the draft. A change that changes nothing leaves the revision.
     * @throws ProblemError `not_found`, `edit_conflict`, `already_exists` or `invalid_request`.
     */
    update: (
      { db, now }: Context<Tx>,
      actor: Actor,
      { change, ...at }: AtRevision & { change: Given },
    ): Promise<Shown> =>
      db.transaction().execute(async (tx) => {
        const before = await locked(tx, actor, at)
        const name = change.name === undefined ? before.name : storedName('name', change.name)
        const draft = rules.draftOf(change, before)
        const had = rules.draftOf({} as Given, before)
        rules.checkDraft?.(draft, now())
        if (name === before.name && isDeepStrictEqual(draft, had)) return shown(actor, before)
        await programs.update(tx, at.id, { ...rules.columnsOf(draft, before, now()), name })
        const after = await required(tx, actor, at.id)
        await record(tx, actor, 'update', at.id, { before, after })
        return shown(actor, after)
      }),

    /** @throws ProblemError `not_found` or `edit_conflict`. */
    remove: ({ db }: { db: Context<Tx>['db'] }, actor: Actor, at: AtRevision): Promise<null> =>
      db.transaction().execute(async (tx) => {
        const before = await locked(tx, actor, at)
        rules.checkUnused?.(before)
        // First, while the program still tells the event's service provider.
        await record(tx, actor, 'delete', at.id, { before })
        await programs.delete(tx, at.id)
        return null
      }),

    /**
     * Publishes the draft.
     * @throws ProblemError `not_found`, `edit_conflict`, or what the checks of the draft throw.
     */
    publish: async (
      context: Needs,
      actor: Actor,
      { note = '', ...at }: AtRevision & Noted,
    ): Promise<Version> => {
      const { db, now } = context
      const found = atRevision(await required(db, actor, at.id), at.revision, what)
      await rules.check?.(context, actor, found)
      // What was checked is what is published.
      const revision = rules.check ? found.revision : at.revision
      return db.transaction().execute(async (tx) => {
        const before = await locked(tx, actor, { id: at.id, revision })
        const content = rules.contentOf(before)
        return insert(tx, actor, before, { content, note, restoredFrom: null, now: now() })
      })
    },

    /**
     * Publishes an earlier version again.
     * @throws ProblemError `not_found` or `edit_conflict`, or what the check of the content throws.
     */
    rollBack: (
      { db, now }: Context<Tx>,
      actor: Actor,
      { number, note = '', ...at }: AtRevision & Noted & { number: number },
    ): Promise<Version> =>
      db.transaction().execute(async (tx) => {
        const before = await locked(tx, actor, at)
        const content = await versionOf(tx, { owner: at.id, number })
        return insert(tx, actor, before, { content, note, restoredFrom: number, now: now() })
      }),

    /** @throws ProblemError `not_found`; BadCursorError. */
    listVersions: async (
      { db }: { db: Tx },
      actor: Actor,
      { id, query }: ById & { query: ListQuery },
    ): Promise<Listed<VersionItem & Partial<Content>>> => {
      await required(db, actor, id)
      return versions.list.read(db, query, id)
    },

    /** @throws ProblemError `not_found`. */
    readVersion: async (
      { db }: { db: Tx },
      actor: Actor,
      { id, number }: ById & { number: number },
    ): Promise<Version> => {
      await required(db, actor, id)
      return versionOf(db, { owner: id, number })
    },
  }
}
