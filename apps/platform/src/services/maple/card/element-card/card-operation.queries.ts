import { sql } from 'kysely'
import type { CardOperation, RunCardStep } from '@grove/contract/maple/card/card-operation'
import type { SecurityDomain } from '@grove/contract/maple/card/domain'
import {
  listedCardOperations,
  type CardOperationState,
  type CardStepState,
} from '@grove/contract/maple/card/card-operation.rules'
import { inScope, type Scope } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'

/** The requested state; empty for a termination. */
export interface CardOperationInput {
  domains?: SecurityDomain[]
  isReplacing?: boolean
}

/** An operation as it is stored; what may be done to it follows from its state. */
export interface CardOperationRow extends Omit<CardOperation, 'rights'> {
  serviceId: string | null
  input: CardOperationInput
  approvalId: string | null
}

const columns = sql<CardOperationRow>`
  id, cplc, kind, state, cancelled_at is not null as "isCancelled", steps, problem,
  session_id as "sessionId", created_by as "createdBy", created_at as "createdAt",
  finished_at as "finishedAt", service_id as "serviceId", input, approval_id as "approvalId"`

/** The latest operations on the card of an element, which the caller may see. */
export async function operationsOf(db: MapleDb, cplc: string): Promise<CardOperationRow[]> {
  const { rows } = await sql<CardOperationRow>`
    select ${columns} from maple.card_operation where cplc = ${cplc}
    order by created_at desc, id desc limit ${sql.lit(listedCardOperations)}`.execute(db)
  return rows
}

export async function findOperation(
  db: MapleDb,
  id: string,
  scope: Scope,
): Promise<CardOperationRow | undefined> {
  const { rows } = await sql<CardOperationRow>`
    select ${columns} from maple.card_operation where id = ${id} and ${inScope(scope, 'service_id')}`.execute(
    db,
  )
  return rows[0]
}

/** Locks the operation for the transaction. */
export async function lockOperation(db: MapleDb, id: string, scope: Scope) {
  await sql`select from maple.card_operation where id = ${id} for update`.execute(db)
  return findOperation(db, id, scope)
}

interface NewOperation extends Pick<CardOperationRow, 'cplc' | 'kind' | 'input' | 'createdBy'> {
  steps: readonly RunCardStep[]
  approvalId?: string
}

/** It belongs to the service provider that the element belongs to. */
export async function insertOperation(
  tx: MapleDb,
  { cplc, kind, input, steps, createdBy, approvalId }: NewOperation,
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into maple.card_operation (service_id, cplc, kind, input, steps, created_by, approval_id)
    select service_id, cplc, ${kind}, ${JSON.stringify(input)}::jsonb,
      ${JSON.stringify(steps)}::jsonb, ${createdBy}, ${approvalId ?? null}::uuid
    from maple.element where cplc = ${cplc}
    returning id`.execute(tx)
  return rows[0]?.id ?? ''
}

export async function operationOfApproval(
  db: MapleDb,
  approvalId: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from maple.card_operation where approval_id = ${approvalId}`.execute(db)
  return rows[0]?.id
}

/** Whether something is done to the card now. */
export async function hasOpenOperation(db: MapleDb, cplc: string): Promise<boolean> {
  const { rows } = await sql`
    select from maple.card_operation
    where cplc = ${cplc} and state in ('queued', 'running')`.execute(db)
  return rows.length > 0
}

export const startOperation = (db: MapleDb, id: string) =>
  sql`update maple.card_operation set state = 'running' where id = ${id}`.execute(db)

/** The session in which the commands are visible. */
export const setOperationSession = (db: MapleDb, id: string, sessionId: string) =>
  sql`update maple.card_operation set session_id = ${sessionId} where id = ${id}`.execute(db)

export const setStep = (
  db: MapleDb,
  id: string,
  index: number,
  step: { state: CardStepState; statusWord?: string },
) =>
  sql`
    update maple.card_operation set steps =
      jsonb_set(steps, array[${String(index)}], (steps -> ${index}::int) || ${JSON.stringify(step)}::jsonb)
    where id = ${id}`.execute(db)

export const cancelOperation = (db: MapleDb, id: string) =>
  sql`update maple.card_operation set cancelled_at = now() where id = ${id}`.execute(db)

export async function isCancelled(db: MapleDb, id: string): Promise<boolean> {
  const { rows } = await sql`
    select from maple.card_operation where id = ${id} and cancelled_at is not null`.execute(db)
  return rows.length > 0
}

export const finishOperation = (
  db: MapleDb,
  id: string,
  { state, problem }: { state: CardOperationState; problem: CardOperation['problem'] },
) =>
  sql`
    update maple.card_operation set state = ${state}, finished_at = now(),
      problem = ${problem && JSON.stringify(problem)}::jsonb
    where id = ${id}`.execute(db)
