import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { ProviderRequest } from '@grove/contract/cedar/provider-request'
import { providerRequestSorting } from '@grove/contract/cedar/provider-request.rules'
import type { QueryOf } from '@grove/contract/call'
import { defineRecords } from '../../../core/records/define-records.ts'
import type { CedarDb } from '../tables.ts'

export type RequestRow = Omit<ProviderRequest, 'rights'>

type Query = QueryOf<Calls['GET /api/provider/request']> & { requestedBy?: string | undefined }

export const requests = defineRecords<RequestRow, Query>({
  table: 'cedar.provider_request',
  columns: {
    id: 'uuid',
    name: 'text',
    purpose: 'text',
    state: 'text',
    requestedBy: 'text',
    reason: 'text',
    providerId: 'uuid',
  },
  sorting: providerRequestSorting,
  filters: {
    id: (id) => sql`id = ${id}`,
    // A literal, so that the index of open requests is used.
    state: (state) => sql`state = ${sql.lit(state)}`,
    requestedBy: (id) => sql`requested_by = ${id}`,
  },
})

/** A user's requests: whether one is open, and the number within a day. */
export async function countRequests(db: CedarDb, userId: string) {
  const { rows } = await sql<{ open: number; today: number }>`
    select count(*) filter (where state = 'open')::int as open,
      count(*) filter (where created_at > now() - interval '1 day')::int as today
    from cedar.provider_request where requested_by = ${userId}`.execute(db)
  return rows[0] ?? { open: 0, today: 0 }
}
