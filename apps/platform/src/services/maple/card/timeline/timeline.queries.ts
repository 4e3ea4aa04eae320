import { sql, type RawBuilder } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import type { TimelineEntry } from '@grove/contract/maple/card/timeline'
import { timelineSorting, type TimelineKind } from '@grove/contract/maple/card/timeline.rules'
import { defineList, type ListPage } from '../../../../core/database/define-list.ts'
import { inScope, type Scope } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'

type Sql = RawBuilder<unknown>
type TimelineQuery = QueryOf<Calls['GET /api/maple/se/timeline']>

/** The subjects of a timeline, and what a reader may see of it. */
export interface TimelineOf {
  cplc: string
  /** The element's CPLC and its former ones. */
  subjects: readonly string[]
  device: { id: string; since: string } | undefined
  kinds: readonly TimelineKind[]
  scope: Scope
}

/**
 * The newest entries of each source, merged: each branch is one range of an index by element and time
 * and reads no more than a page, except for installations, of which a chip has few. So a page costs
 * the same however large the tables are.
 */
export const timelineList = defineList({
  name: 'timeline',
  sorts: { at: ['at', 'timestamp'] },
  sorting: timelineSorting,
  tiebreak: ['id', 'text'],
  keys: ({ at, id }) => [at, id],
  rows: (db: MapleDb, page: ListPage<TimelineQuery, 'at'>, of: TimelineOf) => {
    const { direction, after, limit } = page
    // The full position contains a text built from the row, which no index has.
    const near = (at: string) =>
      after
        ? sql`${sql.ref(at)} ${sql.raw(direction === 'desc' ? '<=' : '>=')} ${after.value}::timestamptz`
        : sql`true`
    const branches = sourcesOf(of, near).map(
      (source) => sql`(
        select * from (${source}) as source where ${page.where()}
        order by ${page.orderBy()} limit ${sql.lit(limit)})`,
    )
    if (branches.length === 0) return Promise.resolve({ rows: [] })
    return sql<TimelineEntry>`
      select id, kind, at, name, state, by, about, program_id as "programId", session_id as "sessionId",
        before, after
      from (${sql.join(branches, sql` union all `)}) as entry
      order by ${page.orderBy()} limit ${sql.lit(limit)}`.execute(db)
  },
})

type Near = (at: string) => Sql

function sourcesOf({ cplc, subjects, device, kinds, scope }: TimelineOf, near: Near): Sql[] {
  /** The columns of an entry; those that a source lacks are null. */
  const entry = (
    kind: TimelineKind,
    {
      id,
      at,
      name,
      state = sql`null`,
      by = sql`null`,
      about = sql`null`,
      program = sql`null`,
      session = sql`null`,
      hasChange = false,
    }: Entry,
  ) => sql`
    ${`${kind} `}::text || ${id}::text as id, ${kind}::text as kind, ${at} as at, ${name}::text as name,
    ${state}::text as state, ${by}::text as by, ${about}::text as about,
    ${program}::text as program_id, ${session}::text as session_id,
    ${hasChange ? sql`before, after` : sql`null::jsonb as before, null::jsonb as after`}`
  const eventsOf = (kind: TimelineKind, subject: string, about: Sql, more: Sql) => sql`
    select ${entry(kind, { id: sql.ref('id'), at: sql.ref('at'), name: sql.ref('action'), by: sql.ref('actor'), about, hasChange: true })}
    from maple.event where subject = ${subject} and ${inScope(scope, 'service_id')}
      and ${near('at')} and ${more}`
  // A request is a separate entry, and an element's new CPLC has its event under both numbers.
  const isOwn = (subject: string) =>
    sql`action <> 'approval.request' and ${
      subject === cplc
        ? sql`true`
        : sql`(action <> 'element.replace' or after ->> 'cplc' is null or after ->> 'cplc' = subject)`
    }`
  const made: Record<TimelineKind, () => Sql[]> = {
    event: () => subjects.map((subject) => eventsOf('event', subject, sql`null`, isOwn(subject))),
    device: () =>
      device
        ? [
            eventsOf(
              'device',
              device.id,
              sql`${device.id}`,
              sql`at >= ${device.since}::timestamptz`,
            ),
          ]
        : [],
    session: () =>
      subjects.map(
        (subject) => sql`
          select ${entry('session', { id: sql.ref('id'), at: sql.ref('opened_at'), name: sql.ref('purpose'), state: sql.ref('state'), by: sql.ref('opened_by'), session: sql.ref('id') })}
          from maple.session
          where cplc = ${subject} and ${inScope(scope, 'service_id')} and ${near('opened_at')}`,
      ),
    operation: () => [
      sql`
        select ${entry('operation', { id: sql.ref('id'), at: sql.ref('created_at'), name: sql.ref('kind'), state: sql.ref('state'), by: sql.ref('created_by'), session: sql.ref('session_id') })}
        from maple.card_operation
        where cplc = ${cplc} and ${inScope(scope, 'service_id')} and ${near('created_at')}`,
    ],
    applet: () =>
      subjects.map(
        (subject) => sql`
          select ${entry('applet', {
            id: sql`target.operation_id`,
            at: sql`coalesce(target.started_at, operation.created_at)`,
            name: sql.ref('operation.kind'),
            state: sql.ref('target.state'),
            by: sql.ref('operation.created_by'),
            about: sql.ref('applet.name'),
            session: sql.ref('target.session_id'),
          })}
          from maple.applet_target as target
          join maple.applet_operation as operation on operation.id = target.operation_id
          left join maple.applet as applet on applet.id = operation.applet_id
          where target.cplc = ${subject} and ${inScope(scope, 'operation.service_id')}`,
      ),
    template: () =>
      subjects.map(
        (subject) => sql`
          select ${entry('template', {
            id: sql`target.run_id`,
            at: sql.ref('target.started_at'),
            name: sql`'run'`,
            state: sql.ref('target.state'),
            by: sql.ref('run.created_by'),
            about: sql.ref('template.name'),
            program: sql.ref('run.template_id'),
            session: sql.ref('target.session_id'),
          })}
          from maple.template_target as target
          join maple.template_run as run on run.id = target.run_id
          join maple.template as template on template.id = run.template_id
          where target.cplc = ${subject} and ${inScope(scope, 'run.service_id')}
            and target.started_at is not null and ${near('target.started_at')}`,
      ),
    script: () =>
      subjects.map(
        (subject) => sql`
          select ${entry('script', {
            id: sql.ref('run.id'),
            at: sql.ref('run.started_at'),
            name: sql`'run'`,
            state: sql.ref('run.state'),
            by: sql.ref('run.started_by'),
            about: sql.ref('script.name'),
            program: sql.ref('run.script_id'),
            session: sql.ref('run.session_id'),
          })}
          from maple.script_run as run
          join maple.script as script on script.id = run.script_id
          where run.cplc = ${subject} and ${inScope(scope, 'run.service_id')}
            and run.started_at is not null and ${near('run.started_at')}`,
      ),
    keys: () => [
      sql`
        select ${entry('keys', { id: sql.ref('id'), at: sql.ref('created_at'), name: sql`'rotation'`, state: sql.ref('step'), by: sql.ref('created_by'), about: sql`upper(lpad(to_hex(new_version::integer), 2, '0'))` })}
        from maple.key_rotation where cplc = ${cplc} and ${near('created_at')}`,
    ],
    export: () => [
      sql`
        select ${entry('export', { id: sql.ref('id'), at: sql.ref('created_at'), name: sql`'export'`, by: sql.ref('requested_by') })}
        from maple.key_export where cplc = ${cplc} and ${near('created_at')}`,
    ],
    approval: () =>
      subjects.map(
        (subject) => sql`
          select ${entry('approval', { id: sql.ref('id'), at: sql.ref('created_at'), name: sql.ref('action'), state: sql.ref('state'), by: sql.ref('requested_by') })}
          from maple.approval
          where subject = ${subject} and ${inScope(scope, 'service_id')} and ${near('created_at')}`,
      ),
  }
  return kinds.flatMap((kind) => made[kind]())
}

interface Entry {
  id: Sql
  at: Sql
  name: Sql
  state?: Sql
  by?: Sql
  about?: Sql
  /** The template or script of a run. */
  program?: Sql
  session?: Sql
  /** Whether it has columns for the values before and after. */
  hasChange?: boolean
}
