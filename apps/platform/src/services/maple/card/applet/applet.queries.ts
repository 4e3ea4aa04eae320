import { sql } from 'kysely'
import type { Applet, InstalledApplet } from '@grove/contract/maple/card/applet'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import {
  appletSearchLimit,
  appletSorting,
  appletUseLimit,
  installedSorting,
  type AppletState,
} from '@grove/contract/maple/card/applet.rules'
import { defineList, type ListPage } from '../../../../core/database/define-list.ts'
import { inScope, type Scope } from '../../../../core/scope.ts'
import { nameKey } from '../../base/name-key.ts'
import { searchByName } from '../../base/name-search.ts'
import type { MapleDb } from '../../base/tables.ts'

/** The stored contents of a file. */
export type CapFacts = Pick<
  Applet,
  | 'applets'
  | 'imports'
  | 'javaCard'
  | 'format'
  | 'usesIntegers'
  | 'hasExports'
  | 'components'
  | 'signatures'
>
/** An applet as it is stored; what may be done to it depends on the reader. */
export type AppletFacts = Omit<Applet, 'rights'>
type AppletRow = Omit<AppletFacts, keyof CapFacts> & { facts: CapFacts; nameKey: string }

const columns = sql`
  applet.id, applet.service_id as "serviceId", applet.state, applet.name,
  applet.name_key as "nameKey", applet.package_aid as "packageAid",
  applet.major || '.' || applet.minor as version, applet.facts, applet.load_size as "loadSize",
  applet.load_hash as "loadHash", applet.file_name as "fileName", applet.bytes, applet.sha256,
  applet.created_by as "createdBy", applet.revision, applet.created_at as "createdAt",
  applet.updated_at as "updatedAt"`

function factsOf(row: AppletRow): AppletFacts {
  const { facts, nameKey: _, ...rest } = row
  return { ...rest, ...facts }
}

type AppletQuery = QueryOf<Calls['GET /api/maple/applets']>

const isFound = searchByName({
  row: sql`applet.id`,
  table: sql`maple.applet`,
  limit: appletSearchLimit,
  others: { package_aid: (typed) => typed.replaceAll(' ', '').toUpperCase() },
})

const appletList = defineList({
  name: 'applet',
  sorts: { createdAt: ['created_at', 'timestamp'], name: ['name_key', 'text'] },
  sorting: appletSorting,
  tiebreak: ['id', 'uuid'],
  filters: {
    id: (id) => sql`applet.id = ${id}`,
    package: (aid) => sql`applet.package_aid = ${aid.toUpperCase()}`,
    state: (state) => sql`applet.state = ${state}::maple.applet_state`,
  },
  keys: (row: AppletRow, sort) => [sort === 'name' ? row.nameKey : row.createdAt, row.id],
  rows: (
    db: MapleDb,
    { query, where, orderBy, limit }: ListPage<AppletQuery, 'createdAt' | 'name'>,
    scope: Scope,
  ) =>
    sql<AppletRow>`
      select ${columns} from maple.applet as applet
      where ${inScope(scope, 'applet.service_id')} and ${isFound(query.q, scope)} and ${where('applet')}
      order by ${orderBy('applet')} limit ${sql.lit(limit)}`.execute(db),
})

/** One page of the applets of a scope. @throws BadCursorError */
export async function readApplets(db: MapleDb, query: AppletQuery, scope: Scope) {
  const page = await appletList.read(db, query, scope)
  return { ...page, items: page.items.map(factsOf) }
}

export async function findApplet(
  db: MapleDb,
  id: string,
  scope: Scope,
): Promise<AppletFacts | undefined> {
  const { rows } = await sql<AppletRow>`
    select ${columns} from maple.applet as applet
    where applet.id = ${id} and ${inScope(scope, 'applet.service_id')}`.execute(db)
  return rows[0] && factsOf(rows[0])
}

/**
 * The upload of the same package with the version before, of the same major one: its exports must
 * still be there.
 */
export async function findFormer(
  db: MapleDb,
  { packageAid, version }: Pick<AppletFacts, 'packageAid' | 'version'>,
  scope: Scope,
): Promise<AppletFacts | undefined> {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const { rows } = await sql<AppletRow>`
    select ${columns} from maple.applet as applet
    where applet.package_aid = ${packageAid} and applet.major = ${major} and applet.minor < ${minor}
      and ${inScope(scope, 'applet.service_id')}
    order by applet.minor desc, applet.id limit 1`.execute(db)
  return rows[0] && factsOf(rows[0])
}

/** Locks the applet for the transaction. */
export async function lockApplet(db: MapleDb, id: string, scope: Scope) {
  await sql`select from maple.applet where id = ${id} for update`.execute(db)
  return findApplet(db, id, scope)
}

export interface NewApplet
  extends
    CapFacts,
    Pick<
      AppletFacts,
      | 'serviceId'
      | 'name'
      | 'packageAid'
      | 'loadSize'
      | 'loadHash'
      | 'fileName'
      | 'bytes'
      | 'sha256'
      | 'createdBy'
    > {
  major: number
  minor: number
}

export async function insertApplet(db: MapleDb, given: NewApplet): Promise<string> {
  const { serviceId, name, packageAid, major, minor, loadSize, loadHash, ...rest } = given
  const { fileName, bytes, sha256, createdBy, ...facts } = rest
  const { rows } = await sql<{ id: string }>`
    insert into maple.applet (service_id, name, name_key, package_aid, major, minor, facts,
      load_size, load_hash, file_name, bytes, sha256, created_by)
    values (${serviceId}, ${name}, ${nameKey(name)}, ${packageAid}, ${major}, ${minor},
      ${JSON.stringify(facts)}::jsonb, ${loadSize}, ${loadHash}, ${fileName}, ${bytes}, ${sha256},
      ${createdBy})
    returning id`.execute(db)
  const [row] = rows
  if (!row) throw new Error('An insert without a condition answers its row.')
  return row.id
}

/** The upload of the same bytes that is not revoked. */
export async function findSameFile(
  db: MapleDb,
  sha256: string,
  serviceId: string | null,
): Promise<{ id: string; name: string } | undefined> {
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from maple.applet where coalesce(service_id, '') = ${serviceId ?? ''}
      and sha256 = ${sha256} and state <> 'revoked'`.execute(db)
  return rows[0]
}

export const setAppletState = (db: MapleDb, id: string, state: AppletState) =>
  sql`
    update maple.applet set state = ${state}::maple.applet_state, revision = revision + 1,
      updated_at = now()
    where id = ${id}`.execute(db)

export const deleteApplet = (db: MapleDb, id: string) =>
  sql`delete from maple.applet where id = ${id}`.execute(db)

/** Whether an applet, an image of firmware or an import needs the bytes. */
export async function isFileUsed(db: MapleDb, sha256: string): Promise<boolean> {
  const { rows } = await sql`
    (select 1 from maple.applet where sha256 = ${sha256} limit 1)
    union all
    (select 1 from maple.binary_image where sha256 = ${sha256} limit 1)
    union all
    (select 1 from maple.device_import where sha256 = ${sha256} and has_file limit 1)`.execute(db)
  return rows.length > 0
}

/** How many elements have an applet, up to a limit. */
export async function countInstalled(db: MapleDb, id: string) {
  const { rows } = await sql<{ count: number }>`
    select count(*) from (
      select from maple.installed_applet where applet_id = ${id}
      limit ${sql.lit(appletUseLimit + 1)}
    ) as counted`.execute(db)
  const value = rows[0]?.count ?? 0
  return { value: Math.min(value, appletUseLimit), isCapped: value > appletUseLimit }
}

const installed = sql`
  installed.cplc, installed.package_aid as "packageAid", installed.version,
  installed.applet_id as "appletId", applet.name, installed.instances, reading.read_at as "readAt",
  (
    select target.session_id from maple.applet_target as target
    join maple.applet_operation as operation on operation.id = target.operation_id
    where target.cplc = installed.cplc and target.started_at is not null
      and target.state = 'succeeded' and operation.applet_id = installed.applet_id
      and operation.kind in ('install', 'upgrade')
    order by target.finished_at desc limit 1
  ) as "sessionId",
  (
    select json_build_object('id', device.id, 'name', device.name)
    from maple.element as element join maple.device as device on device.id = element.device_id
    where element.cplc = installed.cplc
  ) as device`
const installations = sql`
  maple.installed_applet as installed join maple.card_reading as reading using (cplc)
  left join maple.applet as applet on applet.id = installed.applet_id`

export const installedList = defineList({
  name: 'installed applet',
  sorts: { cplc: ['cplc', 'text'] },
  sorting: installedSorting,
  tiebreak: ['package_aid', 'text'],
  keys: (row: InstalledApplet) => [row.cplc, row.packageAid],
  rows: (
    db: MapleDb,
    {
      where,
      orderBy,
      limit,
    }: ListPage<QueryOf<Calls['GET /api/maple/applets/{id}/installed']>, 'cplc'>,
    appletId: string,
  ) =>
    sql<InstalledApplet>`
      select ${installed} from ${installations}
      where installed.applet_id = ${appletId} and ${where('installed')}
      order by ${orderBy('installed')} limit ${sql.lit(limit)}`.execute(db),
})

export async function isElementOf(db: MapleDb, cplc: string, scope: Scope) {
  const { rows } = await sql`
    select from maple.element as element
    where element.cplc = ${cplc} and ${inScope(scope, 'element.service_id')}`.execute(db)
  return rows.length > 0
}

export async function installedOn(db: MapleDb, cplc: string, scope: Scope) {
  const [{ rows: items }, { rows: readings }] = await Promise.all([
    // Another service provider's upload shows without its name.
    sql<InstalledApplet & { loadSize: number | null }>`
      select ${installed}, applet.load_size as "loadSize" from ${installations}
      where installed.cplc = ${cplc} order by installed.package_aid`.execute(db),
    sql<{ freeMemory: number | null; readAt: string }>`
      select free_memory as "freeMemory", read_at as "readAt" from maple.card_reading
      where cplc = ${cplc}`.execute(db),
  ])
  const ids = items.flatMap(({ appletId }) => (appletId === null ? [] : [appletId]))
  const { rows: own } = await sql<{ id: string }>`
    select id from maple.applet as applet
    where id = any(${ids}::uuid[]) and ${inScope(scope, 'applet.service_id')}`.execute(db)
  const isOwn = (id: string | null) => own.some((each) => each.id === id)
  return {
    items: items.map((item) =>
      isOwn(item.appletId)
        ? item
        : { ...item, appletId: null, name: null, sessionId: null, loadSize: null },
    ),
    freeMemory: readings[0]?.freeMemory ?? null,
    readAt: readings[0]?.readAt ?? null,
  }
}
