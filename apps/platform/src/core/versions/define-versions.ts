import { sql, type QueryExecutorProvider } from 'kysely'
import type { Sorting } from '@grove/contract/page.rules'
import { defineList, type ListPage, type ListQuery } from '../database/define-list.ts'

/** What the platform says of a version; it never changes. */
export interface VersionFacts {
  number: number
  /** Of its content, in hex. */
  sha256: string
  note: string
  /** The version that this one brought back. */
  restoredFrom: number | null
  publishedBy: string | null
  publishedAt: string
}

interface Definition<Content> {
  /**
   * The table of what has versions, such as `orchard.tree`: it has `version` and `version_sha256` of
   * the newest one, `revision` and `updated_at`. The versions are rows of `orchard.tree_version`, by
   * `tree_id` and `number`.
   */
  table: `${string}.${string}`
  /** The columns with what is published, and their types. */
  content: Record<keyof Content & string, 'text' | 'json' | 'jsonb'>
  sorting: Sorting<'number'>
  hash: (content: Content) => string
}

/**
 * The versions of a resource whose draft people publish.
 *
 *     const treeVersions = defineVersions<{ code: string }>({
 *       table: 'orchard.tree',
 *       content: { code: 'text' },
 *       sorting: treeVersionSorting,
 *       hash: ({ code }) => sha256Of(code),
 *     })
 */
export function defineVersions<Content extends object>({
  table,
  content,
  sorting,
  hash,
}: Definition<Content>) {
  type Version = VersionFacts & Content
  const [, name = ''] = table.split('.')
  const owners = sql.table(table)
  const versions = sql.table(`${table}_version`)
  const ownerId = sql.ref(`${name}_id`)
  const columns = Object.entries<string>(content)
  const names = sql.join(columns.map(([column]) => sql.ref(column)))
  const facts = sql`
    number, sha256, note, restored_from as "restoredFrom", published_by as "publishedBy",
    published_at as "publishedAt"`

  return {
    /** One page of the versions of an owner, without their content. */
    list: defineList({
      name: `${table}_version`,
      sorts: { number: ['number', 'integer'] },
      sorting,
      tiebreak: ['number', 'integer'],
      keys: ({ number }: VersionFacts) => [String(number), String(number)],
      rows: (
        db: QueryExecutorProvider,
        { where, orderBy, limit }: ListPage<ListQuery, 'number'>,
        owner: string,
      ) =>
        sql<VersionFacts>`
          select ${facts} from ${versions} as version where ${ownerId} = ${owner} and ${where('version')}
          order by ${orderBy('version')} limit ${sql.lit(limit)}`.execute(db),
    }),

    async find(
      db: QueryExecutorProvider,
      { owner, number }: { owner: string; number: number },
    ): Promise<Version | undefined> {
      const { rows } = await sql<Version>`
        select ${facts}, ${names} from ${versions}
        where ${ownerId} = ${owner} and number = ${number}`.execute(db)
      return rows[0]
    },

    /** The next version of an owner that is held. */
    async insert(
      tx: QueryExecutorProvider,
      owner: string,
      given: Pick<VersionFacts, 'note' | 'restoredFrom' | 'publishedBy'> & { content: Content },
    ): Promise<Version> {
      const values = columns.map(([column, type]) => {
        const value = given.content[column as keyof Content]
        return sql`${type === 'text' ? value : JSON.stringify(value)}::${sql.raw(type)}`
      })
      const { rows } = await sql<Version>`
        insert into ${versions}
          (${ownerId}, number, ${names}, sha256, note, restored_from, published_by)
        select id, coalesce(version, 0) + 1, ${sql.join(values)}, ${hash(given.content)},
          ${given.note}, ${given.restoredFrom}::integer, ${given.publishedBy}
        from ${owners} where id = ${owner}
        returning ${facts}, ${names}`.execute(tx)
      const [version] = rows
      if (!version) throw new Error(`${owner} of ${table} vanished while it was held.`)
      await sql`
        update ${owners} set version = ${version.number}, version_sha256 = ${version.sha256},
          revision = revision + 1, updated_at = now()
        where id = ${owner}`.execute(tx)
      return version
    },
  }
}

export type Versions<Content extends object> = ReturnType<typeof defineVersions<Content>>
