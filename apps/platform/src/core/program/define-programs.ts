import { sql, type QueryExecutorProvider, type RawBuilder } from 'kysely'
import type { Sorting } from '@grove/contract/page.rules'
import {
  defineList,
  type ListFilters,
  type ListPage,
  type ListQuery,
} from '../database/define-list.ts'
import { nameKey } from '../database/name-key.ts'
import { keysOfNames } from '../database/words.ts'
import { inScope, type Scope } from '../scope.ts'
import { assignments, defineVersions, type VersionsDefinition } from './define-versions.ts'

/** The facts of every program. */
export interface ProgramFacts {
  id: string
  /** The service provider that it belongs to. */
  serviceId: string | null
  name: string
  /** The newest version that is published. */
  version: number | null
  /** Whether the draft differs from that version. */
  isChanged: boolean
  createdBy: string | null
  revision: number
  createdAt: string
  updatedAt: string
}

type ProgramQuery = ListQuery & { id?: string | undefined; q?: string | undefined }

interface Definition<Query, Content> {
  /** It has a column for each fact of a program, `name_key` and `draft_sha256`. */
  table: `${string}.${string}`
  /** The name of the list in its cursors. */
  list?: string
  /** Columns of a list item besides the facts; the alias of the table is `program`. */
  listed: RawBuilder<unknown>
  /** Further columns of one that is opened. */
  opened: RawBuilder<unknown>
  /** The hash of the draft, if no column has it. */
  draftHash?: RawBuilder<unknown>
  sorting: Sorting<'name' | 'createdAt' | 'updatedAt'>
  filters?: ListFilters<Query>
  /** A search finds at most this many names. */
  searchLimit?: number
  versions: VersionsDefinition<Content>
}

/**
 * What developers write and publish: drafts in one table and their versions in another.
 *
 *     const scripts = definePrograms<ScriptItem, Script, { code: string }, ScriptQuery>({
 *       table: 'maple.script',
 *       listed: sql`program.note`,
 *       opened: sql`program.draft`,
 *       sorting: scriptSorting,
 *       versions: { content: { code: 'text' }, sorting: scriptVersionSorting, hash },
 *     })
 */
export function definePrograms<
  Item extends ProgramFacts,
  Opened extends Item,
  Content extends object,
  Query extends ProgramQuery,
>({
  table,
  listed,
  opened,
  sorting,
  filters,
  searchLimit = 1_000,
  list = table,
  draftHash = sql`program.draft_sha256`,
  versions: definition,
}: Definition<Query, Content>) {
  const from = sql.table(table)
  const newestHash = sql.ref(`program.${definition.hashColumn ?? 'version_sha256'}`)
  const columns = sql`
    program.id, program.service_id as "serviceId", program.name, program.version,
    ${newestHash} is distinct from ${draftHash} as "isChanged",
    program.created_by as "createdBy", program.revision, program.created_at as "createdAt",
    program.updated_at as "updatedAt", ${listed}`

  const find = async (
    db: QueryExecutorProvider,
    id: string,
    scope: Scope,
  ): Promise<Opened | undefined> => {
    const { rows } = await sql<Opened>`
      select ${columns}, ${opened} from ${from} as program
      where program.id = ${id} and ${inScope(scope, 'program.service_id')}`.execute(db)
    return rows[0]
  }

  function isFound(text: string, scope: Scope) {
    const key = nameKey(text.trim())
    if (key === '') return sql`true`
    const search = { table: from, scope: inScope(scope, 'service_id'), text: key }
    return sql`program.id = ${keysOfNames({ ...search, limit: searchLimit })}`
  }

  return {
    versions: defineVersions(table, definition),

    list: defineList({
      name: list,
      sorts: {
        name: ['name_key', 'text'],
        createdAt: ['created_at', 'timestamp'],
        updatedAt: ['updated_at', 'timestamp'],
      },
      sorting,
      tiebreak: ['id', 'uuid'],
      filters: { ...filters, id: (id: string) => sql`program.id = ${id}` } as ListFilters<Query>,
      keys: (row: Item, sort) => [sort === 'name' ? nameKey(row.name) : row[sort], row.id],
      rows: (
        db: QueryExecutorProvider,
        { query, where, orderBy, limit }: ListPage<Query, 'name' | 'createdAt' | 'updatedAt'>,
        scope: Scope,
      ) =>
        sql<Item>`
          select ${columns} from ${from} as program
          where ${inScope(scope, 'program.service_id')} and ${isFound(query.q ?? '', scope)}
            and ${where('program')}
          order by ${orderBy('program')} limit ${sql.lit(limit)}`.execute(db),
    }),

    /** Undefined for one of another service provider. */
    find,

    /** The same, locked for the transaction. */
    async lock(tx: QueryExecutorProvider, id: string, scope: Scope) {
      await sql`select from ${from} where id = ${id} for update`.execute(tx)
      return find(tx, id, scope)
    },

    /** The number of a service provider's programs; serialises additions. */
    async count(tx: QueryExecutorProvider, serviceId: string | null): Promise<number> {
      const key = `${table} ${serviceId ?? ''}`
      await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tx)
      const { rows } = await sql<{ count: number }>`
        select count(*)::integer as count from ${from}
        where service_id is not distinct from ${serviceId}`.execute(tx)
      return rows[0]?.count ?? 0
    },

    /** Returns the id. The draft is given by column, as the table stores it. */
    async insert(
      tx: QueryExecutorProvider,
      { name, serviceId, createdBy }: Pick<ProgramFacts, 'name' | 'serviceId' | 'createdBy'>,
      draft: Record<string, unknown>,
    ): Promise<string> {
      const values = {
        service_id: serviceId,
        created_by: createdBy,
        name,
        name_key: nameKey(name),
        ...draft,
      }
      const { rows } = await sql<{ id: string }>`
        insert into ${from} (${sql.join(Object.keys(values).map((column) => sql.ref(column)))})
        values (${sql.join(Object.values(values))}) returning id`.execute(tx)
      const [row] = rows
      if (!row) throw new Error(`A row of ${table} was not stored.`)
      return row.id
    },

    update: (
      tx: QueryExecutorProvider,
      id: string,
      { name, ...draft }: { name: string; [column: string]: unknown },
    ) =>
      sql`
        update ${from} set ${assignments({ name, name_key: nameKey(name), ...draft })},
          revision = revision + 1, updated_at = now()
        where id = ${id}`.execute(tx),

    delete: (tx: QueryExecutorProvider, id: string) =>
      sql`delete from ${from} where id = ${id}`.execute(tx),
  }
}

export type Programs<
  Item extends ProgramFacts,
  Opened extends Item,
  Content extends object,
  Query extends ProgramQuery,
> = ReturnType<typeof definePrograms<Item, Opened, Content, Query>>
