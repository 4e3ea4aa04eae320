import { sql } from 'kysely'
import type { TokenRequest } from '@grove/contract/maple/card/purpose-key'
import { maxTokenRequests, tokenRequestDays } from '@grove/contract/maple/card/purpose-key.rules'
import type { MapleDb } from '../../base/tables.ts'

export async function insertTokenRequest(
  db: MapleDb,
  row: {
    id: string
    cplc: string
    approvalId: string
    requestedBy: string
    commands: readonly string[]
  },
): Promise<void> {
  await sql`
    insert into maple.token_request (id, cplc, approval_id, requested_by, commands)
    values (${row.id}, ${row.cplc}, ${row.approvalId}, ${row.requestedBy}, ${row.commands}::text[])
  `.execute(db)
}

/** The newest requests of a person. */
export async function tokenRequestsOf(
  db: MapleDb,
  { cplc, requestedBy }: { cplc: string; requestedBy: string },
): Promise<TokenRequest[]> {
  const { rows } = await sql<TokenRequest>`
    select wanted.id, wanted.cplc, wanted.commands, wanted.tokens,
      json_build_object('id', approval.id, 'state', approval.state) as approval,
      to_char(wanted.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "createdAt"
    from maple.token_request as wanted
    join maple.approval as approval on approval.id = wanted.approval_id
    where wanted.cplc = ${cplc} and wanted.requested_by = ${requestedBy}
    order by wanted.created_at desc, wanted.id limit ${sql.lit(maxTokenRequests)}
  `.execute(db)
  return rows
}

/** The request of an approval, locked. */
export async function lockTokenRequest(
  tx: MapleDb,
  approvalId: string,
): Promise<Pick<TokenRequest, 'id' | 'cplc' | 'commands' | 'tokens'> | undefined> {
  const { rows } = await sql<Pick<TokenRequest, 'id' | 'cplc' | 'commands' | 'tokens'>>`
    select id, cplc, commands, tokens from maple.token_request
    where approval_id = ${approvalId} for update
  `.execute(tx)
  return rows[0]
}

export async function storeTokens(
  db: MapleDb,
  id: string,
  tokens: readonly string[],
): Promise<void> {
  await sql`update maple.token_request set tokens = ${tokens}::text[] where id = ${id}`.execute(db)
}

/** Deletes expired requests. */
export async function forgetTokenRequests(db: MapleDb): Promise<void> {
  await sql`
    delete from maple.token_request
    where created_at < now() - make_interval(days => ${sql.lit(tokenRequestDays)})
  `.execute(db)
}
