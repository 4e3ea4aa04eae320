import { sql } from 'kysely'
import type { MapleDb } from '../../base/tables.ts'

export interface CommandProblem {
  code: string
  message: string
}

export interface CommandRow {
  id: string
  sessionId: string
  askedBy: string | null
  state: 'queued' | 'sent' | 'done' | 'refused' | 'unknown'
  problem: CommandProblem | null
  firstSeq: number | null
  lastSeq: number | null
}

const columns = sql<CommandRow>`
  id, session_id as "sessionId", asked_by as "askedBy", state, problem, first_seq as "firstSeq",
  last_seq as "lastSeq"`

interface NewCommand {
  id: string
  sessionId: string
  askedBy: string | null
  /** Null if sent immediately. */
  sealedInput: string | null
}

/** False if the id is taken. */
export async function insertCommand(db: MapleDb, given: NewCommand): Promise<boolean> {
  const state = given.sealedInput === null ? 'sent' : 'queued'
  const { rows } = await sql`
    insert into maple.session_command (id, session_id, asked_by, sealed_input, state)
    values (${given.id}, ${given.sessionId}, ${given.askedBy}, ${given.sealedInput}, ${state})
    on conflict (id) do nothing returning 1`.execute(db)
  return rows.length > 0
}

export async function findCommand(db: MapleDb, id: string): Promise<CommandRow | undefined> {
  const { rows } = await sql<CommandRow>`
    select ${columns} from maple.session_command where id = ${id}`.execute(db)
  return rows[0]
}

/**
 * Takes the commands waiting for a process's sessions, in order; each is taken once, and marked as
 * sent.
 */
export async function takeCommands(
  db: MapleDb,
  processId: string,
): Promise<(CommandRow & { sealedInput: string })[]> {
  const { rows } = await sql<CommandRow & { sealedInput: string }>`
    with taken as (
      select id, sealed_input, created_at from maple.session_command
      where state = 'queued' and session_id in (
        select session_id from maple.session_lease where process_id = ${processId})
      for update skip locked
    ), sent as (
      update maple.session_command as command set state = 'sent', sealed_input = null
      from taken where command.id = taken.id
      returning command.*, taken.sealed_input as input, taken.created_at as asked_at
    )
    select ${columns}, input as "sealedInput" from sent order by asked_at, id`.execute(db)
  return rows
}

/** Undefined if it had already ended. */
export async function finishCommand(
  db: MapleDb,
  id: string,
  { state, problem, firstSeq, lastSeq }: Omit<CommandRow, 'id' | 'sessionId' | 'askedBy'>,
): Promise<CommandRow | undefined> {
  const { rows } = await sql<CommandRow>`
    update maple.session_command set state = ${state},
      problem = ${problem && JSON.stringify(problem)}::jsonb, first_seq = ${firstSeq},
      last_seq = ${lastSeq}, finished_at = now()
    where id = ${id} and state in ('sent', 'queued') returning ${columns}`.execute(db)
  return rows[0]
}
