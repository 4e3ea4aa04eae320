import type { Actor } from '../../../core/actor.ts'
import { assertAllowed } from '../auth.rules.ts'
import { record, type AuthContext } from '../context.ts'
import { queueLink, takeMailAttemptsOf } from '../email/link.ts'
import { changeAccount, requireAdmin } from './account-admin.service.ts'
import { findAccount } from './account-admin.queries.ts'

/** Mails an account's owner a password reset link, as if they had requested it. */
export async function sendReset(
  context: AuthContext,
  actor: Actor,
  { id, publicOrigin }: { id: string; publicOrigin: string },
): Promise<void> {
  await requireAdmin(context, actor)
  // Outside the transaction: a refusal must not undo the count.
  const found = await findAccount(context.db, id.toLowerCase())
  if (found?.email)
    await takeMailAttemptsOf(context, actor, { purpose: 'reset', email: found.email })
  await changeAccount(context, actor, id, async (inside, account) => {
    const { email, disabled_at: disabledAt } = account
    assertAllowed(actor, 'account.send_reset', {
      email,
      disabledAt,
      hasMail: context.mailer !== null,
    })
    if (email === null) return
    await queueLink(inside, actor, { purpose: 'reset', email, account, publicOrigin })
    await record(inside.db, actor, 'account.send_reset', account.id)
  })
}
