import { audit } from '../../../core/audit.ts'
import type { Platform } from '../../../core/platform.ts'
import type { AuthTables } from '../tables.ts'
import { normaliseEmail } from './account-fields.ts'
import { findAccountByEmail, setDisabledAt } from './account.queries.ts'
import { isPasswordOf } from './password-hash.ts'

/** Opens or closes an account whose password is public; one that has another by now is left as it is. */
export async function setPublicAccountOpen(
  platform: Platform,
  { email, password }: { email: string; password: string },
  isOpen: boolean,
): Promise<void> {
  const db = platform.db.withTables<AuthTables>()
  const account = await findAccountByEmail(db, normaliseEmail(email))
  if (!account || (account.disabled_at === null) === isOpen) return
  if (!(await isPasswordOf(account.password_hash, password))) return
  await db.transaction().execute(async (tx) => {
    await setDisabledAt(tx, account.id, isOpen ? null : new Date(platform.now()).toISOString())
    await audit(tx, 'auth', {
      actor: null,
      action: isOpen ? 'account.enable' : 'account.disable',
      subject: account.id,
      origin: { requestId: '', ip: '', userAgent: 'grove' },
    })
  })
}
