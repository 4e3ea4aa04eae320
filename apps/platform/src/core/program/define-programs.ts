import { sql, type RawBuilder } from 'kysely'
import type { ListQuery } from '../database/define-list.ts'
import { defineOwned, type OwnedDefinition } from '../owned/define-owned.ts'
import { defineVersions, type VersionsDefinition } from './define-versions.ts'

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

interface Definition<Query, Content> extends Omit<OwnedDefinition<Query>, 'as' | 'columns'> {
  /** Columns of a list item besides the facts; the alias of the table is `program`. */
  listed: RawBuilder<unknown>
  /** The hash of the draft, if no column has it. */
  draftHash?: RawBuilder<unknown>
  versions: VersionsDefinition<Content>
}

/**
 * What developers write and publish: drafts in one table and their versions in another. The first has
 * a column for each fact of a program, `name_key` and `draft_sha256`.
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
  listed,
  draftHash = sql`program.draft_sha256`,
  versions,
  ...definition
}: Definition<Query, Content>) {
  const newestHash = sql.ref(`program.${versions.hashColumn ?? 'version_sha256'}`)
  return {
    ...defineOwned<Item, Query, Opened>({
      ...definition,
      as: 'program',
      columns: sql`
        program.id, program.service_id as "serviceId", program.name, program.version,
        ${newestHash} is distinct from ${draftHash} as "isChanged",
        program.created_by as "createdBy", program.revision, program.created_at as "createdAt",
        program.updated_at as "updatedAt", ${listed}`,
    }),
    versions: defineVersions(definition.table, versions),
  }
}

export type Programs<
  Item extends ProgramFacts,
  Opened extends Item,
  Content extends object,
  Query extends ProgramQuery,
> = ReturnType<typeof definePrograms<Item, Opened, Content, Query>>
