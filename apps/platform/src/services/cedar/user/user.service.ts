import type { Membership, UserKey } from '@grove/contract/cedar/user'
import type { CedarContext } from '../context.ts'
import { toListItem } from '../provider-admin/provider-admin.queries.ts'
import { readKeysOf, readMemberships } from './user.queries.ts'

/** The providers of a user, and what the user is in each. */
export async function listMemberships({ db }: CedarContext, userId: string): Promise<Membership[]> {
  const rows = await readMemberships(db, userId)
  return rows.map(({ isOwner, mobyRoles, ...provider }) => ({
    provider: toListItem(provider),
    isOwner,
    roles: mobyRoles[isOwner ? 'owner' : 'member'],
  }))
}

/** The keys that a user made and that still work, of either kind. */
export const listKeysOf = ({ db }: CedarContext, userId: string): Promise<UserKey[]> =>
  readKeysOf(db, userId)
