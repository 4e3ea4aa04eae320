import { sql } from 'kysely'
import type { Applet, InstalledApplet } from '@grove/contract/maple/card/applet'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import {
  appletSearchLimit,
  appletSorting,
  appletUseLimit,
  installedSorting,
} from '@grove/contract/maple/card/applet.rules'
import { defineArtifacts } from '../../../../core/artifact/define-artifacts.ts'
import { defineList, type ListPage } from '../../../../core/database/define-list.ts'
import { inScope, type Scope } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'

/** An applet as it is stored; what may be done to it depends on the reader. */
export type AppletFacts = Omit<Applet, 'rights'>

/** The facts that a file states about itself, in one column. */
const facts = [
  'applets',
  'imports',
  'javaCard',
  'format',
  'usesIntegers',
  'hasExports',
  'components',
  'signatures',
] as const
export type CapFacts = Pick<Applet, (typeof facts)[number]>

export const applets = defineArtifacts<AppletFacts, QueryOf<Calls['GET /api/maple/applets']>>({
  table: 'maple.applet',
  list: 'applet',
  columns: sql`
    artifact.package_aid as "packageAid", artifact.major || '.' || artifact.minor as version,
    artifact.load_size as "loadSize", artifact.load_hash as "loadHash",
    ${sql.join(facts.map((name) => sql`artifact.facts -> ${sql.lit(name)} as ${sql.id(name)}`))}`,
  sorting: appletSorting,
  filters: { package: (aid) => sql`artifact.package_aid = ${aid.toUpperCase()}` },
  searchLimit: appletSearchLimit,
  searched: { package_aid: (typed) => typed.replaceAll(' ', '').toUpperCase() },
})

export const { find: findApplet } = applets

/**
 * The upload of the same package with the previous version of the same major version, whose exports
 * must still exist.
 */
export function findFormer(
  db: MapleDb,
  { packageAid, version }: Pick<AppletFacts, 'packageAid' | 'version'>,
  scope: Scope,
) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return applets.first(
    db,
    sql`where artifact.package_aid = ${packageAid} and artifact.major = ${major}
      and artifact.minor < ${minor} and ${inScope(scope, 'artifact.service_id')}
      order by artifact.minor desc, artifact.id limit 1`,
  )
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
