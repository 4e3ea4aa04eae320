import { processActor } from '../../../../core/actor.ts'
import { record, type AuthContext } from '../../context.ts'
import { normaliseEmail } from './account-fields.ts'
import { findAccountByEmail, setDisabledAt } from '../account.queries.ts'
import { isPasswordOf } from './password-hash.ts'

/**
 * Enables or disables an account whose password is public; with another password it stays unchanged.
 */
export async function setPublicAccountOpen(
  { db, now }: AuthContext,
  { email, password }: { email: string; password: string },
  isOpen: boolean,
): Promise<void> {
  const account = await findAccountByEmail(db, normaliseEmail(email))
  if (!account || (account.disabled_at === null) === isOpen) return
  if (!(await isPasswordOf(account.password_hash, password))) return
  await db.transaction().execute(async (tx) => {
    await setDisabledAt(tx, account.id, isOpen ? null : new Date(now()).toISOString())
    const action = isOpen ? 'account.enable' : 'account.disable'
    await record(tx, processActor('grove'), action, account.id)
  })
}
