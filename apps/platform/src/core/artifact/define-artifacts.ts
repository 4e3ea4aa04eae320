import { sql, type QueryExecutorProvider } from 'kysely'
import type { ArtifactFacts } from '@grove/contract/core/artifact'
import type { ListFilters, ListQuery } from '../database/define-list.ts'
import { defineOwned, type OwnedDefinition } from '../owned/define-owned.ts'

type ArtifactQuery = ListQuery & Partial<Record<'id' | 'q' | 'state', string | undefined>>

/**
 * Uploaded files with a state. The table has a column for each fact of an artifact but the version,
 * and `name_key`; the columns are selected from `artifact`, besides its facts, and have the version.
 *
 *     const seeds = defineArtifacts<Seed, SeedQuery>({
 *       table: 'orchard.seed',
 *       list: 'seed',
 *       columns: sql`artifact.version, artifact.genus`,
 *       sorting: seedSorting,
 *       searchLimit: seedSearchLimit,
 *     })
 */
export function defineArtifacts<Facts extends ArtifactFacts, Query extends ArtifactQuery>({
  columns,
  filters,
  ...definition
}: OwnedDefinition<Query>) {
  const owned = defineOwned<Facts, Query, Facts>({
    ...definition,
    as: 'artifact',
    columns: sql`
      artifact.id, artifact.service_id as "serviceId", artifact.state, artifact.name,
      artifact.file_name as "fileName", artifact.bytes, artifact.sha256,
      artifact.created_by as "createdBy", artifact.revision, artifact.created_at as "createdAt",
      artifact.updated_at as "updatedAt", ${columns}`,
    filters: {
      ...filters,
      state: (state: string) => sql`artifact.state = ${state}`,
    } as ListFilters<Query>,
  })
  return {
    ...owned,

    /** The upload of the same bytes that is not revoked. */
    findSame: (tx: QueryExecutorProvider, sha256: string, serviceId: string | null) =>
      owned.first(
        tx,
        sql`where coalesce(artifact.service_id, '') = ${serviceId ?? ''}
          and artifact.sha256 = ${sha256} and artifact.state <> 'revoked'`,
      ),
  }
}

export type Artifacts<Facts extends ArtifactFacts, Query extends ArtifactQuery> = ReturnType<
  typeof defineArtifacts<Facts, Query>
>
