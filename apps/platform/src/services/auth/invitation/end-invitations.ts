import type { Actor } from '../../../core/actor.ts'
import { events, type AuthContext } from '../context.ts'
import { timeText } from '../session/parts/start-session.ts'
import { withdrawAllOf } from './invitation.queries.ts'

/** Withdraws, in a transaction, the invitations of someone who is no longer an administrator. */
export async function endInvitationsOf(
  { db, now }: AuthContext,
  actor: Actor,
  accountId: string,
): Promise<void> {
  const withdrawn = await withdrawAllOf(db, accountId, timeText(now()))
  await events.recordAll(
    db,
    actor,
    'invitation.withdraw',
    withdrawn.map(({ id, email }) => ({ subject: id, before: { email } })),
  )
}
