import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import type {
  RunQuestion,
  ScriptRun,
  ScriptRunCause,
  ScriptRunItem,
} from '@grove/contract/maple/program/script'
import {
  scriptRunDays,
  scriptRunSorting,
  type QuestionType,
  type ScriptRunState,
} from '@grove/contract/maple/program/script.rules'
import type { LogLine } from '../../../../core/sandbox/sandbox.ts'
import { startNext } from '../../../../core/batch/start-next.ts'
import { defineList, type ListPage } from '../../../../core/database/define-list.ts'
import { readCplc } from '../../base/cplc-text.ts'
import type { MapleDb } from '../../base/tables.ts'

const columns = sql`
  run.id, run.script_id as "scriptId", run.batch_id as "batchId", run.cplc, run.version, run.state,
  run.cause, run.fuel, run.milliseconds, run.session_id as "sessionId",
  run.replay_of as "replayOf", run.question is not null as "isAsking", run.started_by as "startedBy", run.created_at as "createdAt",
  run.started_at as "startedAt", run.finished_at as "finishedAt"`

export const runList = defineList({
  name: 'maple.script_run',
  sorts: { createdAt: ['created_at', 'timestamp'] },
  sorting: scriptRunSorting,
  tiebreak: ['id', 'uuid'],
  filters: {
    batch: (id) => sql`run.batch_id = ${id}`,
    cplc: (text) => sql`run.cplc = ${readCplc('cplc', text)}`,
    state: (state) => sql`run.state = ${state}`,
  },
  keys: ({ createdAt, id }: ScriptRunItem) => [createdAt, id],
  rows: (
    db: MapleDb,
    {
      where,
      orderBy,
      limit,
    }: ListPage<QueryOf<Calls['GET /api/maple/scripts/{id}/run']>, 'createdAt'>,
    scriptId: string,
  ) =>
    sql<ScriptRunItem>`
      select ${columns} from maple.script_run as run
      where run.script_id = ${scriptId} and ${where('run')}
      order by ${orderBy('run')} limit ${sql.lit(limit)}`.execute(db),
})

type RunRow = Omit<ScriptRun, 'question'> & {
  question: Omit<RunQuestion, 'isYours'> | null
}

export async function findRun(
  db: MapleDb,
  { scriptId, id }: { scriptId: string; id: string },
): Promise<RunRow | undefined> {
  const { rows } = await sql<RunRow>`
    select ${columns}, run.question, run.input, run.code, run.value, run.log from maple.script_run as run
    where run.id = ${id} and run.script_id = ${scriptId}`.execute(db)
  return rows[0]
}

/** What runs on one element. */
export interface RunWork extends Pick<
  ScriptRun,
  'id' | 'scriptId' | 'cplc' | 'version' | 'code' | 'input' | 'startedBy'
> {
  serviceId: string | null
  /** The rights beyond running that the person who started it had. */
  allows: string[]
  /** Each call of the session waits for the person. */
  isStepped: boolean
}

type NewRuns = Omit<RunWork, 'id' | 'cplc' | 'startedBy'> & {
  batchId: string
  cplcs: readonly string[]
  replayOf: string | null
  startedBy: string
}

export async function insertRuns(tx: MapleDb, given: NewRuns): Promise<ScriptRunItem[]> {
  const { rows } = await sql<ScriptRunItem>`
    insert into maple.script_run as run (script_id, service_id, batch_id, cplc, version, code,
      input, allows, replay_of, is_stepped, started_by)
    select ${given.scriptId}::uuid, ${given.serviceId}, ${given.batchId}::uuid, cplc,
      ${given.version}::integer, ${given.code}, ${JSON.stringify(given.input)}::jsonb,
      ${given.allows}::text[], ${given.replayOf}::uuid,
      ${given.isStepped}::boolean, ${given.startedBy}
    from unnest(${given.cplcs}::text[]) as given (cplc)
    returning ${columns}`.execute(tx)
  return rows
}

const workColumns = sql`
  target.id, target.script_id as "scriptId", target.service_id as "serviceId", target.cplc, target.version,
  coalesce(target.code, (
    select code from maple.script_version as version
    where version.script_id = target.script_id and version.number = target.version
  ), '') as code, target.input, target.allows, target.is_stepped as "isStepped",
  target.started_by as "startedBy"`

const runs = { table: 'maple.script_run', of: 'batch_id', key: 'id', order: 'cplc' } as const

export const nextRun = (db: MapleDb, batch: string) =>
  startNext<RunWork>(db, runs, batch, workColumns)

/** Runs of a dead process: their progress is unknown. */
export async function endCutOff(db: MapleDb, batch: string, cause: ScriptRunCause): Promise<void> {
  await sql`
    update maple.script_run set state = 'failed', finished_at = now(), question = null,
      answer = null, cause = ${JSON.stringify(cause)}::jsonb
    where batch_id = ${batch} and state = 'running'`.execute(db)
}

export async function countRuns(
  db: MapleDb,
  batch: string,
): Promise<{ done: number; total: number }> {
  const { rows } = await sql<{ done: number; total: number }>`
    select count(*) filter (where state not in ('waiting', 'running')) as done, count(*) as total
    from maple.script_run where batch_id = ${batch}`.execute(db)
  return rows[0] ?? { done: 0, total: 0 }
}

export const setRunSession = (db: MapleDb, id: string, sessionId: string) =>
  sql`update maple.script_run set session_id = ${sessionId} where id = ${id}`.execute(db)

/** Writes the log so far; returns whether the run was cancelled. */
export async function writeLog(db: MapleDb, id: string, log: readonly LogLine[]): Promise<boolean> {
  const { rows } = await sql<{ isCancelled: boolean }>`
    update maple.script_run set log = ${JSON.stringify(log)}::jsonb where id = ${id}
    returning is_cancelled as "isCancelled"`.execute(db)
  return rows[0]?.isCancelled ?? true
}

export async function isCancelled(db: MapleDb, id: string): Promise<boolean> {
  const { rows } = await sql<{ isCancelled: boolean }>`
    select is_cancelled as "isCancelled" from maple.script_run where id = ${id}`.execute(db)
  return rows[0]?.isCancelled ?? true
}

export interface RunEnd extends Pick<ScriptRun, 'cause' | 'value' | 'fuel' | 'milliseconds'> {
  state: ScriptRunState
  log: readonly LogLine[]
}

export const finishRun = (db: MapleDb, id: string, end: RunEnd) =>
  sql`
    update maple.script_run set state = ${end.state}, value = ${end.value},
      cause = ${end.cause && JSON.stringify(end.cause)}::jsonb,
      log = ${JSON.stringify(end.log)}::jsonb, fuel = ${end.fuel},
      milliseconds = ${Math.round(end.milliseconds)}, question = null, answer = null,
      finished_at = now()
    where id = ${id}`.execute(db)

interface NewQuestion {
  number: number
  type: QuestionType
  text: string
  seconds: number
}

/** Asks the person who started a run. */
export const putQuestion = (db: MapleDb, id: string, { seconds, ...question }: NewQuestion) =>
  sql`
    update maple.script_run set answer = null,
      question = ${JSON.stringify(question)}::jsonb || jsonb_build_object('until',
        to_char((now() + make_interval(secs => ${seconds}::int)) at time zone 'UTC',
          'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    where id = ${id} and state = 'running'`.execute(db)

const isQuestion = (number: number) => sql`(question ->> 'number')::int = ${number}::int`

/** The answer to a question, which is then deleted; undefined if the run no longer asks it. */
export async function takeAnswer(
  db: MapleDb,
  id: string,
  number: number,
): Promise<{ answer: string | null; isOver: boolean } | undefined> {
  const { rows } = await sql<{ answer: string | null; isOver: boolean }>`
    select answer ->> 'value' as answer, (question ->> 'until')::timestamptz < now() as "isOver"
    from maple.script_run where id = ${id} and ${isQuestion(number)}`.execute(db)
  const [found] = rows
  if (found && found.answer !== null) await closeQuestion(db, id, number)
  return found
}

export const closeQuestion = (db: MapleDb, id: string, number: number) =>
  sql`update maple.script_run set question = null, answer = null
    where id = ${id} and ${isQuestion(number)}`.execute(db)

/** False if the run now asks something else, or has an answer. */
export async function putAnswer(
  db: MapleDb,
  id: string,
  { number, value }: { number: number; value: string },
): Promise<boolean> {
  const { rows } = await sql`
    update maple.script_run set answer = jsonb_build_object('value', ${value}::text)
    where id = ${id} and ${isQuestion(number)} and answer is null
      and (question ->> 'until')::timestamptz >= now()
    returning 1`.execute(db)
  return rows.length > 0
}

/** Ends waiting runs and asks running ones to stop. Returns the number of runs. */
export async function cancelBatch(
  db: MapleDb,
  { scriptId, batch }: { scriptId: string; batch: string },
): Promise<number> {
  const { rows } = await sql`
    update maple.script_run set is_cancelled = true,
      state = case when state = 'waiting' then 'cancelled' else state end,
      finished_at = case when state = 'waiting' then now() end
    where batch_id = ${batch} and script_id = ${scriptId} and state in ('waiting', 'running')
    returning 1`.execute(db)
  return rows.length
}

const rowsAtOnce = 1000

export async function tidyRuns(db: MapleDb, signal: AbortSignal): Promise<void> {
  const deleteSome = () => sql`
    delete from maple.script_run where id = any(array(
      select id from maple.script_run
      where created_at < now() - make_interval(days => ${scriptRunDays})
        and state not in ('waiting', 'running')
      order by created_at limit ${rowsAtOnce}))
    returning 1`
  while (!signal.aborted && (await deleteSome().execute(db)).rows.length > 0);
}
