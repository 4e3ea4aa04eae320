import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import type {
  Template,
  TemplateItem,
  TemplateVersion,
} from '@grove/contract/maple/program/template'
import {
  templateSearchLimit,
  templateSorting,
  templateVersionSorting,
  type TemplateState,
} from '@grove/contract/maple/program/template.rules'
import { defineList, type ListPage } from '../../../../core/database/define-list.ts'
import { inScope, type Scope } from '../../../../core/scope.ts'
import { nameKey } from '../../base/name-key.ts'
import type { MapleDb } from '../../base/tables.ts'

/** The contents of a template: its parameters and its steps. */
export type Content = Pick<Template, 'parameters' | 'steps'>
/** A template as it is stored; what may be done to it follows from its state. */
export type TemplateFacts = Omit<TemplateItem, 'rights'>
export type TemplateRow = TemplateFacts & { draft: Content }

const columns = sql`
  template.id, template.service_id as "serviceId", template.name, template.about, template.state,
  jsonb_array_length(template.draft -> 'steps') as "stepCount", template.version,
  template.version_sha256 is distinct from template.draft_sha256 as "isChanged",
  template.created_by as "createdBy", template.revision, template.created_at as "createdAt",
  template.updated_at as "updatedAt"`

type TemplateQuery = QueryOf<Calls['GET /api/maple/templates']>

export const templateList = defineList({
  name: 'template',
  sorts: { name: ['name_key', 'text'], updatedAt: ['updated_at', 'timestamp'] },
  sorting: templateSorting,
  tiebreak: ['id', 'uuid'],
  filters: {
    id: (id) => sql`template.id = ${id}`,
    state: (state) => sql`template.state = ${state}`,
  },
  keys: ({ name, updatedAt, id }: TemplateFacts, sort) => [
    sort === 'name' ? nameKey(name) : updatedAt,
    id,
  ],
  rows: (
    db: MapleDb,
    { query, where, orderBy, limit }: ListPage<TemplateQuery, 'name' | 'updatedAt'>,
    scope: Scope,
  ) =>
    sql<TemplateFacts>`
      select ${columns} from maple.template as template
      where ${inScope(scope, 'template.service_id')} and ${isFound(query.q ?? '', scope)}
        and ${where('template')}
      order by ${orderBy('template')} limit ${sql.lit(limit)}`.execute(db),
})

/** To the planner an array is small, so it looks these ids up instead of scanning the list. */
function isFound(text: string, scope: Scope) {
  const start = nameKey(text.trim())
  if (start === '') return sql`true`
  return sql`template.id = any(array(
    select id from maple.template
    where ${inScope(scope, 'template.service_id')} and name_key >= ${start}
      and name_key < ${`${start}\u{10FFFF}`}
    order by name_key, id limit ${sql.lit(templateSearchLimit)}))`
}

export async function findTemplate(
  db: MapleDb,
  id: string,
  scope: Scope,
): Promise<TemplateRow | undefined> {
  const { rows } = await sql<TemplateRow>`
    select ${columns}, template.draft from maple.template as template
    where template.id = ${id} and ${inScope(scope, 'template.service_id')}`.execute(db)
  return rows[0]
}

/** Locks the template for the transaction. */
export async function lockTemplate(db: MapleDb, id: string, scope: Scope) {
  await sql`select from maple.template where id = ${id} for update`.execute(db)
  return findTemplate(db, id, scope)
}

/** The number of a service provider's templates; serialises additions. */
export async function holdTemplateCount(db: MapleDb, serviceId: string | null): Promise<number> {
  const key = `maple.template ${serviceId ?? ''}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(db)
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from maple.template
    where service_id is not distinct from ${serviceId}`.execute(db)
  return rows[0]?.count ?? 0
}

interface Values {
  name: string
  about: string
  draft: Content
  sha256: string
}

export async function insertTemplate(
  db: MapleDb,
  given: Values & { serviceId: string | null; createdBy: string },
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into maple.template
      (service_id, name, name_key, about, draft, draft_sha256, created_by)
    values (${given.serviceId}, ${given.name}, ${nameKey(given.name)}, ${given.about},
      ${JSON.stringify(given.draft)}::jsonb, ${given.sha256}, ${given.createdBy})
    returning id`.execute(db)
  return rows[0]?.id ?? ''
}

const changed = sql`revision = revision + 1, updated_at = now()`

export const updateTemplate = (db: MapleDb, id: string, given: Values) =>
  sql`
    update maple.template
    set name = ${given.name}, name_key = ${nameKey(given.name)}, about = ${given.about},
      draft = ${JSON.stringify(given.draft)}::jsonb, draft_sha256 = ${given.sha256}, ${changed}
    where id = ${id}`.execute(db)

export const setTemplateState = (db: MapleDb, id: string, state: TemplateState) =>
  sql`update maple.template set state = ${state}, ${changed} where id = ${id}`.execute(db)

export const deleteTemplate = (db: MapleDb, id: string) =>
  sql`delete from maple.template where id = ${id}`.execute(db)

type VersionRow = Omit<TemplateVersion, 'parameters' | 'steps'> & { content: Content }
const versionOf = ({ content, ...row }: VersionRow): TemplateVersion => ({ ...row, ...content })

const versionColumns = sql`
  version.number, version.content, version.sha256, version.note,
  version.published_by as "publishedBy", version.published_at as "publishedAt"`

const versionList = defineList({
  name: 'template version',
  sorts: { number: ['number', 'integer'] },
  sorting: templateVersionSorting,
  tiebreak: ['number', 'integer'],
  keys: ({ number }: VersionRow) => [String(number), String(number)],
  rows: (
    db: MapleDb,
    {
      where,
      orderBy,
      limit,
    }: ListPage<QueryOf<Calls['GET /api/maple/templates/{id}/version']>, 'number'>,
    templateId: string,
  ) =>
    sql<VersionRow>`
      select ${versionColumns} from maple.template_version as version
      where version.template_id = ${templateId} and ${where('version')}
      order by ${orderBy('version')} limit ${sql.lit(limit)}`.execute(db),
})

/** @throws BadCursorError */
export async function readVersions(
  db: MapleDb,
  query: QueryOf<Calls['GET /api/maple/templates/{id}/version']>,
  templateId: string,
) {
  const page = await versionList.read(db, query, templateId)
  return { ...page, items: page.items.map(versionOf) }
}

export async function findVersion(
  db: MapleDb,
  templateId: string,
  number: number,
): Promise<TemplateVersion | undefined> {
  const { rows } = await sql<VersionRow>`
    select ${versionColumns} from maple.template_version as version
    where template_id = ${templateId} and number = ${number}`.execute(db)
  return rows[0] && versionOf(rows[0])
}

interface NewVersion {
  content: Content
  sha256: string
  note: string
  publishedBy: string
}

/** Adds the next version, which is also the draft from now on. */
export async function insertVersion(
  db: MapleDb,
  id: string,
  { content, sha256, note, publishedBy }: NewVersion,
): Promise<number> {
  const json = JSON.stringify(content)
  const { rows } = await sql<{ number: number }>`
    with next as (
      insert into maple.template_version
        (template_id, number, content, sha256, note, published_by)
      select ${id}, coalesce(max(number), 0) + 1, ${json}::jsonb, ${sha256}, ${note},
        ${publishedBy}
      from maple.template_version where template_id = ${id}
      returning number
    )
    update maple.template
    set state = 'published', version = (select number from next), version_sha256 = ${sha256},
      draft = ${json}::jsonb, draft_sha256 = ${sha256}, ${changed}
    where id = ${id}
    returning version as number`.execute(db)
  return rows[0]?.number ?? 0
}
