import { sql } from 'kysely'
import type { Approval } from '@grove/contract/maple/access/approval'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf } from '@grove/contract/call'
import { approvalSorting } from '@grove/contract/maple/access/approval.rules'
import { defineRecords } from '../../../../core/records/define-records.ts'
import { inScope, type Scope } from '../../../../core/scope.ts'
import { readCplc } from '../../base/cplc-text.ts'
import type { MapleDb } from '../../base/tables.ts'

export type ApprovalFacts = Omit<Approval, 'rights'> & { serviceId: string | null }

type Query = QueryOf<Calls['GET /api/maple/approvals']> & { scope: Scope }

export const approvals = defineRecords<ApprovalFacts, Query>({
  table: 'maple.approval',
  columns: {
    id: 'uuid',
    serviceId: 'text',
    action: 'text',
    subject: 'text',
    input: 'jsonb',
    state: 'maple.approval_state',
    needed: 'integer',
    votes: 'jsonb',
    requestedBy: 'text',
    expiresAt: 'timestamptz',
    jobId: 'uuid',
  },
  sorting: approvalSorting,
  filters: {
    id: (id) => sql`id = ${id}`,
    state: (state) => sql`state = ${state}::maple.approval_state`,
    cplc: (cplc) => sql`subject = ${readCplc('cplc', cplc)}`,
    scope: (scope) => inScope(scope, 'service_id'),
  },
})

/** Expires overdue requests; returns them. */
export async function expireRequests(
  db: MapleDb,
  { now, subject }: { now: number; subject?: string },
): Promise<{ id: string; subject: string; action: string }[]> {
  const { rows } = await sql<{ id: string; subject: string; action: string }>`
    update maple.approval set state = 'expired', revision = revision + 1, updated_at = now()
    where state = 'pending' and expires_at <= ${new Date(now).toISOString()}
      ${subject === undefined ? sql`` : sql`and subject = ${subject}`}
    returning id, subject, action
  `.execute(db)
  return rows
}

export async function findPending(
  db: MapleDb,
  subject: string,
  action: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from maple.approval
    where subject = ${subject} and action = ${action} and state = 'pending'
  `.execute(db)
  return rows[0]?.id
}

/** The service provider of an element, a rollout, an operation or a run. */
export async function serviceOfSubject(db: MapleDb, subject: string): Promise<string | null> {
  const id = sql`substring(${subject} from '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$')::uuid`
  const { rows } = await sql<{ service: string | null }>`
    select service_id as service from maple.element where cplc = ${subject}
    union all
    select service_id from maple.rollout where id = ${id}
    union all
    select service_id from maple.applet_operation where id = ${id}
    union all
    select service_id from maple.template_run where id = ${id}
  `.execute(db)
  return rows[0]?.service ?? null
}
