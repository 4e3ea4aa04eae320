import type { AuthDb } from '../tables.ts'

/** The external identities of an account, oldest link first. */
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
