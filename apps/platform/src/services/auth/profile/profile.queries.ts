import type { AuthDb } from '../tables.ts'

/** The external identities of an account, the first linked first. */
export function readIdentities(db: AuthDb, accountId: string) {
  return db
    .selectFrom('auth.identity')
    .select(['id', 'broker', 'name', 'email', 'linked_at', 'last_used_at'])
    .where('account_id', '=', accountId)
    .orderBy('linked_at')
    .orderBy('id')
    .execute()
}

export async function updateProfile(
  tx: AuthDb,
  accountId: string,
  profile: { name: string | null; locale: string },
): Promise<void> {
  await tx.updateTable('auth.account').set(profile).where('id', '=', accountId).execute()
}

export async function updatePasswordHash(
  tx: AuthDb,
  accountId: string,
  hash: string,
): Promise<void> {
  await tx
    .updateTable('auth.account')
    .set({ password_hash: hash })
    .where('id', '=', accountId)
    .execute()
}

/** Links to a new password that were mailed and not used lead nowhere any more. */
export async function deleteResetLinks(tx: AuthDb, accountId: string): Promise<void> {
  await tx
    .deleteFrom('auth.email_token')
    .where('account_id', '=', accountId)
    .where('purpose', '=', 'reset')
    .where('used_at', 'is', null)
    .execute()
}
