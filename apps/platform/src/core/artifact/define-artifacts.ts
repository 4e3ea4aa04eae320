import { sql, type QueryExecutorProvider, type RawBuilder } from 'kysely'
import type { ArtifactFacts } from '@grove/contract/core/artifact'
import type { Sorting } from '@grove/contract/page.rules'
import {
  defineList,
  type ListFilters,
  type ListPage,
  type ListQuery,
} from '../database/define-list.ts'
import { nameKey } from '../database/name-key.ts'
import { assignments } from '../program/define-versions.ts'
import { inScope, type Scope } from '../scope.ts'

type ArtifactQuery = ListQuery & Partial<Record<'id' | 'q' | 'state', string | undefined>>

interface Definition<Query> {
  /** It has a column for each fact of an artifact but the version, and `name_key`. */
  table: `${string}.${string}`
  /** The name of the list in its cursors. */
  list: string
  /** Selected from `artifact`, besides its facts; the version is one of them. */
  columns: RawBuilder<unknown>
  sorting: Sorting<'createdAt' | 'name'>
  filters?: ListFilters<Query>
  isFound: (text: string | undefined, scope: Scope) => RawBuilder<unknown>
}

/**
 * Uploaded files with a state.
 *
 *     const seeds = defineArtifacts<Seed, SeedQuery>({
 *       table: 'orchard.seed',
 *       list: 'seed',
 *       columns: sql`artifact.version, artifact.genus`,
 *       sorting: seedSorting,
 *       isFound,
 *     })
 */
export function defineArtifacts<Facts extends ArtifactFacts, Query extends ArtifactQuery>({
  table,
  list,
  columns,
  sorting,
  filters,
  isFound,
}: Definition<Query>) {
  const from = sql.table(table)
  const selected = sql`
    select artifact.id, artifact.service_id as "serviceId", artifact.state, artifact.name,
      artifact.file_name as "fileName", artifact.bytes, artifact.sha256,
      artifact.created_by as "createdBy", artifact.revision, artifact.created_at as "createdAt",
      artifact.updated_at as "updatedAt", ${columns}
    from ${from} as artifact`

  /** The first of a query that begins after its `from`. */
  const first = async (
    db: QueryExecutorProvider,
    rest: RawBuilder<unknown>,
  ): Promise<Facts | undefined> => (await sql<Facts>`${selected} ${rest}`.execute(db)).rows[0]

  const find = (db: QueryExecutorProvider, id: string, scope: Scope) =>
    first(db, sql`where artifact.id = ${id} and ${inScope(scope, 'artifact.service_id')}`)

  return {
    first,

    list: defineList({
      name: list,
      sorts: { createdAt: ['created_at', 'timestamp'], name: ['name_key', 'text'] },
      sorting,
      tiebreak: ['id', 'uuid'],
      filters: {
        ...filters,
        id: (id: string) => sql`artifact.id = ${id}`,
        state: (state: string) => sql`artifact.state = ${state}`,
      } as ListFilters<Query>,
      keys: (row: Facts, sort) => [sort === 'name' ? nameKey(row.name) : row.createdAt, row.id],
      rows: (
        db: QueryExecutorProvider,
        { query, where, orderBy, limit }: ListPage<Query, 'createdAt' | 'name'>,
        scope: Scope,
      ) =>
        sql<Facts>`
          ${selected}
          where ${inScope(scope, 'artifact.service_id')} and ${isFound(query.q, scope)}
            and ${where('artifact')}
          order by ${orderBy('artifact')} limit ${sql.lit(limit)}`.execute(db),
    }),

    /** Undefined for one of another service provider. */
    find,

    /** The same, locked for the transaction. */
    async lock(tx: QueryExecutorProvider, id: string, scope: Scope) {
      await sql`select from ${from} where id = ${id} for update`.execute(tx)
      return find(tx, id, scope)
    },

    /** The upload of the same bytes that is not revoked. */
    findSame: (tx: QueryExecutorProvider, sha256: string, serviceId: string | null) =>
      first(
        tx,
        sql`where coalesce(artifact.service_id, '') = ${serviceId ?? ''}
          and artifact.sha256 = ${sha256} and artifact.state <> 'revoked'`,
      ),

    /** Returns the id. Both are given by column. */
    async insert(
      tx: QueryExecutorProvider,
      given: { name: string; [column: string]: unknown },
    ): Promise<string> {
      const values = { ...given, name_key: nameKey(given.name) }
      const { rows } = await sql<{ id: string }>`
        insert into ${from} (${sql.join(Object.keys(values).map((column) => sql.ref(column)))})
        values (${sql.join(Object.values(values))}) returning id`.execute(tx)
      const [row] = rows
      if (!row) throw new Error('An insert without a condition answers its row.')
      return row.id
    },

    update: (
      tx: QueryExecutorProvider,
      id: string,
      { name, ...given }: { name?: string; [column: string]: unknown },
    ) => {
      const values = name === undefined ? given : { ...given, name, name_key: nameKey(name) }
      return sql`
        update ${from} set ${assignments(values)}, revision = revision + 1, updated_at = now()
        where id = ${id}`.execute(tx)
    },

    delete: (tx: QueryExecutorProvider, id: string) =>
      sql`delete from ${from} where id = ${id}`.execute(tx),
  }
}

export type Artifacts<Facts extends ArtifactFacts, Query extends ArtifactQuery> = ReturnType<
  typeof defineArtifacts<Facts, Query>
>
