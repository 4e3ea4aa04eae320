import { sql, type QueryExecutorProvider } from 'kysely'
import type { VersionItem } from '@grove/contract/core/program'
import type { Sorting } from '@grove/contract/page.rules'
import { defineList, type ListPage, type ListQuery } from '../database/define-list.ts'
import { assignments } from '../owned/define-owned.ts'

const usualColumns = {
  number: 'number',
  sha256: 'sha256',
  note: 'note',
  restoredFrom: 'restored_from',
  publishedBy: 'published_by',
  publishedAt: 'published_at',
} satisfies Record<keyof VersionItem, string>

export interface VersionsDefinition<Content> {
  /** The columns with what is published, and their types. */
  content: Record<keyof Content & string, 'text' | 'json' | 'jsonb'>
  sorting: Sorting<'number'>
  hash: (content: Content) => string
  /** The list has the content too. */
  listsContent?: boolean
  /** Columns with other names; null for one that the table lacks. */
  columns?: Partial<Record<keyof VersionItem, string | null>>
  /** The column with the owner of a version, such as `tree_id`. */
  ownerColumn?: string
  /** The column of the owner with the hash of its newest version. */
  hashColumn?: string
}

/**
 * The versions of a resource whose draft people publish. A table such as `orchard.tree` has `version`
 * and `version_sha256` of the newest one, `revision` and `updated_at`; the versions are rows of
 * `orchard.tree_version`, by `tree_id` and `number`.
 */
export function defineVersions<Content extends object>(
  table: `${string}.${string}`,
  {
    content,
    sorting,
    hash,
    listsContent = false,
    columns,
    ownerColumn = `${table.split('.')[1]}_id`,
    hashColumn = 'version_sha256',
  }: VersionsDefinition<Content>,
) {
  type Version = VersionItem & Content
  const owners = sql.table(table)
  const versions = sql.table(`${table}_version`)
  const ownerId = sql.ref(ownerColumn)
  const contents = Object.entries<string>(content)
  const names = sql.join(contents.map(([column]) => sql.ref(column)))
  const named: Record<keyof VersionItem, string | null> = { ...usualColumns, ...columns }
  const number = sql.ref(named.number ?? 'number')
  const facts = sql.join(
    Object.entries(named).map(([field, column]) => {
      const value = column === null ? sql.lit(field === 'note' ? '' : null) : sql.ref(column)
      return sql`${value} as ${sql.id(field)}`
    }),
  )

  return {
    /** One page of the versions of an owner. */
    list: defineList({
      name: `${table}_version`,
      sorts: { number: [named.number ?? 'number', 'integer'] },
      sorting,
      tiebreak: [named.number ?? 'number', 'integer'],
      keys: (version: VersionItem) => [String(version.number), String(version.number)],
      rows: (
        db: QueryExecutorProvider,
        { where, orderBy, limit }: ListPage<ListQuery, 'number'>,
        owner: string,
      ) =>
        sql<VersionItem & Partial<Content>>`
          select ${listsContent ? sql`${facts}, ${names}` : facts} from ${versions} as version
          where ${ownerId} = ${owner} and ${where('version')}
          order by ${orderBy('version')} limit ${sql.lit(limit)}`.execute(db),
    }),

    async find(
      db: QueryExecutorProvider,
      at: { owner: string; number: number },
    ): Promise<Version | undefined> {
      const { rows } = await sql<Version>`
        select ${facts}, ${names} from ${versions}
        where ${ownerId} = ${at.owner} and ${number} = ${at.number}`.execute(db)
      return rows[0]
    },

    /** The next version of a locked owner; `live` sets further columns of the owner. */
    async insert(
      tx: QueryExecutorProvider,
      owner: string,
      {
        content: given,
        live = {},
        ...stored
      }: Pick<VersionItem, 'note' | 'restoredFrom' | 'publishedBy'> & {
        content: Content
        live?: Record<string, unknown> | undefined
      },
    ): Promise<Version> {
      const values = contents.map(([column, type]) => {
        const value = given[column as keyof Content]
        return sql`${type === 'text' ? value : JSON.stringify(value)}::${sql.raw(type)}`
      })
      const sha256 = hash(given)
      const known = Object.entries({
        sha256: sql`${sha256}`,
        note: sql`${stored.note}`,
        restoredFrom: sql`${stored.restoredFrom}::integer`,
        publishedBy: sql`${stored.publishedBy}`,
      }).flatMap(([field, value]) => {
        const column = named[field as keyof VersionItem]
        return column === null ? [] : [{ column: sql.ref(column), value }]
      })
      const { rows } = await sql<Version>`
        insert into ${versions}
          (${ownerId}, ${number}, ${names}, ${sql.join(known.map(({ column }) => column))})
        select id, coalesce(version, 0) + 1, ${sql.join(values)},
          ${sql.join(known.map(({ value }) => value))}
        from ${owners} where id = ${owner}
        returning ${facts}, ${names}`.execute(tx)
      const [version] = rows
      if (!version) throw new Error(`${owner} of ${table} vanished while it was locked.`)
      const columnsOfOwner = { version: version.number, [hashColumn]: sha256, ...live }
      await sql`
        update ${owners} set ${assignments(columnsOfOwner)}, revision = revision + 1, updated_at = now()
        where id = ${owner}`.execute(tx)
      return version
    },
  }
}

export type Versions<Content extends object> = ReturnType<typeof defineVersions<Content>>
