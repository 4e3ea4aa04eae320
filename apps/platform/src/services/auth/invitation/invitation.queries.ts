import { sql, type Insertable, type Selectable } from 'kysely'
import type { Invitation } from '@grove/contract/auth/invitation'
import type { InvitationState } from '@grove/contract/auth/invitation.rules'
import { defineList, type ListPage, type ListQuery } from '../../../core/database/define-list.ts'
import type { AuthDb, AuthTables } from '../tables.ts'

export type InvitationRow = Selectable<AuthTables['auth.invitation']>

/** A stored invitation, as of some time. */
export type InvitationFacts = Omit<Invitation, 'rights'> & { hasAccount: boolean }

interface InvitationQuery extends ListQuery {
  id?: string | undefined
  /** The beginning of an email, in lower case. */
  prefix?: string | undefined
  state?: InvitationState | undefined
}

const stateAt = (now: string) => sql<InvitationState>`case
  when accepted_at is not null then 'accepted'
  when withdrawn_at is not null then 'withdrawn'
  when expires_at <= ${now} then 'ended'
  else 'open' end`

const columnsAt = (now: string) => sql`
  id, email, role, locale, ${stateAt(now)} as state, invited_by as "invitedBy",
  created_at as "createdAt", sent_at as "sentAt", expires_at as "expiresAt",
  account_id as "accountId",
  exists (select from auth.account where account.email = invitation.email) as "hasAccount"`

/** Newest first. Few are kept, so the filters need no index. */
export const invitationList = defineList({
  name: 'invitation',
  sorts: { createdAt: ['created_at', 'timestamp'] },
  sorting: { default: 'createdAt', order: 'desc' },
  tiebreak: ['id', 'uuid'],
  filters: {
    id: (id) => sql`id = ${id}`,
    prefix: (prefix) => sql`starts_with(email, ${prefix})`,
  },
  keys: ({ createdAt, id }: InvitationFacts) => [createdAt, id],
  rows: (
    db: AuthDb,
    { query, where, orderBy, limit }: ListPage<InvitationQuery, 'createdAt'>,
    now: string,
  ) =>
    sql<InvitationFacts>`
      select ${columnsAt(now)} from auth.invitation
      where ${where()} ${query.state ? sql`and ${stateAt(now)} = ${query.state}` : sql``}
      order by ${orderBy()} limit ${limit}`.execute(db),
})

export async function findInvitation(
  db: AuthDb,
  id: string,
  now: string,
): Promise<InvitationFacts | undefined> {
  const { rows } = await sql<InvitationFacts>`
    select ${columnsAt(now)} from auth.invitation where id = ${id}`.execute(db)
  return rows[0]
}

/** Until the transaction ends, other uses of its link and other changes wait. */
export async function lockInvitation(tx: AuthDb, by: { id: string } | { hash: string }) {
  return tx
    .selectFrom('auth.invitation')
    .selectAll()
    .$call((query) =>
      'id' in by ? query.where('id', '=', by.id) : query.where('hash', '=', by.hash),
    )
    .forUpdate()
    .executeTakeFirst()
}

export function findInvitationByHash(db: AuthDb, hash: string): Promise<InvitationRow | undefined> {
  return db.selectFrom('auth.invitation').selectAll().where('hash', '=', hash).executeTakeFirst()
}

/** The invitation of an email that was neither accepted nor withdrawn; it may have expired. */
export function findPendingInvitation(
  db: AuthDb,
  email: string,
): Promise<InvitationRow | undefined> {
  return db
    .selectFrom('auth.invitation')
    .selectAll()
    .where('email', '=', email)
    .where('accepted_at', 'is', null)
    .where('withdrawn_at', 'is', null)
    .executeTakeFirst()
}

/** False if the email already has one that can be accepted. */
export async function insertInvitation(
  tx: AuthDb,
  invitation: Insertable<AuthTables['auth.invitation']>,
): Promise<boolean> {
  const { email, created_at: now } = invitation
  await tx
    .deleteFrom('auth.invitation')
    .where('email', '=', email)
    .where('accepted_at', 'is', null)
    .where('withdrawn_at', 'is', null)
    .where('expires_at', '<=', now)
    .execute()
  const row = await tx
    .insertInto('auth.invitation')
    .values(invitation)
    .onConflict((conflict) =>
      conflict
        .column('email')
        .where('accepted_at', 'is', null)
        .where('withdrawn_at', 'is', null)
        .doNothing(),
    )
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function setLink(
  tx: AuthDb,
  id: string,
  link: { hash: string; sent_at: string; expires_at: string },
): Promise<void> {
  await tx.updateTable('auth.invitation').set(link).where('id', '=', id).execute()
}

export async function setAccepted(
  tx: AuthDb,
  id: string,
  { at, accountId }: { at: string; accountId: string },
): Promise<void> {
  await tx
    .updateTable('auth.invitation')
    .set({ accepted_at: at, account_id: accountId })
    .where('id', '=', id)
    .execute()
}

export async function setWithdrawn(tx: AuthDb, id: string, at: string): Promise<void> {
  await tx.updateTable('auth.invitation').set({ withdrawn_at: at }).where('id', '=', id).execute()
}

/** Withdraws and returns the invitations by an account that were not accepted. */
export function withdrawAllOf(tx: AuthDb, accountId: string, at: string) {
  return tx
    .updateTable('auth.invitation')
    .set({ withdrawn_at: at })
    .where('invited_by', '=', accountId)
    .where('accepted_at', 'is', null)
    .where('withdrawn_at', 'is', null)
    .returning(['id', 'email'])
    .execute()
}

export async function deleteOldInvitations(db: AuthDb, before: string): Promise<void> {
  await db.deleteFrom('auth.invitation').where('expires_at', '<', before).execute()
}
