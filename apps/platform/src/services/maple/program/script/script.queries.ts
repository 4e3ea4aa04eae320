import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import type { Script, ScriptItem, ScriptVersion } from '@grove/contract/maple/program/script'
import {
  scriptSearchLimit,
  scriptSorting,
  scriptVersionSorting,
} from '@grove/contract/maple/program/script.rules'
import type { SortOf } from '@grove/contract/page.rules'
import { defineList, type ListPage } from '../../../../core/database/define-list.ts'
import { defineVersions } from '../../../../core/versions/define-versions.ts'
import { inScope, type Scope } from '../../../../core/scope.ts'
import { nameKey } from '../../base/name-key.ts'
import type { MapleDb } from '../../base/tables.ts'

/** The service provider that a caller sees; null for one who sees all. */
export const sha256Of = (code: string): string => createHash('sha256').update(code).digest('hex')

const columns = sql`
  script.id, script.service_id as "serviceId", script.name, script.note, script.version,
  coalesce(script.version_sha256, '') <> encode(sha256(convert_to(script.draft, 'UTF8')), 'hex')
    as "isChanged",
  script.created_by as "createdBy", script.revision, script.created_at as "createdAt",
  script.updated_at as "updatedAt"`

type Query = QueryOf<Calls['GET /api/maple/scripts']>

const scriptList = defineList({
  name: 'maple.script',
  sorts: { updatedAt: ['updated_at', 'timestamp'], name: ['name_key', 'text'] },
  sorting: scriptSorting,
  tiebreak: ['id', 'uuid'],
  filters: { id: (id) => sql`script.id = ${id}` },
  keys: (row: ScriptItem, sort) => [sort === 'name' ? nameKey(row.name) : row.updatedAt, row.id],
  rows: (
    db: MapleDb,
    { query, where, orderBy, limit }: ListPage<Query, SortOf<typeof scriptSorting>>,
    scope: Scope,
  ) =>
    sql<ScriptItem>`
      select ${columns} from maple.script as script
      where ${inScope(scope, 'script.service_id')} and ${isFound(query.q ?? '', scope)} and ${where('script')}
      order by ${orderBy('script')} limit ${sql.lit(limit)}`.execute(db),
})

/** To the planner an array is small, so it looks these ids up instead of scanning the list. */
function isFound(text: string, scope: Scope) {
  const key = nameKey(text.trim())
  if (key === '') return sql`true`
  return sql`script.id = any(array(
    select id from maple.script
    where ${inScope(scope, 'script.service_id')} and name_key >= ${key} and name_key < ${`${key}\u{10FFFF}`}
    order by name_key, id limit ${sql.lit(scriptSearchLimit)}))`
}

/** @throws BadCursorError */
export const readScripts = (db: MapleDb, query: Query, scope: Scope) =>
  scriptList.read(db, query, scope)

export async function findScript(
  db: MapleDb,
  id: string,
  scope: Scope,
): Promise<Script | undefined> {
  const { rows } = await sql<Script>`
    select ${columns}, script.draft from maple.script as script
    where script.id = ${id} and ${inScope(scope, 'script.service_id')}`.execute(db)
  return rows[0]
}

/** Locks the script for the transaction. */
export async function lockScript(db: MapleDb, id: string, scope: Scope) {
  await sql`select from maple.script where id = ${id} for update`.execute(db)
  return findScript(db, id, scope)
}

export type ScriptValues = Pick<Script, 'name' | 'note' | 'draft'>

export async function insertScript(
  db: MapleDb,
  { name, note, draft }: ScriptValues,
  { serviceId, createdBy }: { serviceId: string | null; createdBy: string },
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into maple.script (service_id, name, name_key, note, draft, created_by)
    values (${serviceId}, ${name}, ${nameKey(name)}, ${note}, ${draft}, ${createdBy})
    returning id`.execute(db)
  return rows[0]?.id ?? ''
}

export const changeScript = (db: MapleDb, id: string, { name, note, draft }: ScriptValues) =>
  sql`
    update maple.script set name = ${name}, name_key = ${nameKey(name)}, note = ${note},
      draft = ${draft}, revision = revision + 1, updated_at = now()
    where id = ${id}`.execute(db)

export const deleteScript = (db: MapleDb, id: string) =>
  sql`delete from maple.script where id = ${id}`.execute(db)

export const scriptVersions = defineVersions<Pick<ScriptVersion, 'code'>>({
  table: 'maple.script',
  content: { code: 'text' },
  sorting: scriptVersionSorting,
  hash: ({ code }) => sha256Of(code),
})
