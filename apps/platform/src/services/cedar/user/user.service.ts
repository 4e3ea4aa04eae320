import type { Membership, UserKey } from '@grove/contract/cedar/user'
import { isAdmin, type Actor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import type { CedarContext } from '../context.ts'
import { toListItem } from '../provider-admin/provider-admin.queries.ts'
import { readKeysOf, readMemberships } from './user.queries.ts'

interface Of {
  user: string
}

/**
 * The providers of a user, and what the user is in each.
 * @throws ProblemError `forbidden` if the user is another.
 */
export async function listMemberships(
  { db }: CedarContext,
  actor: Actor,
  { user }: Of,
): Promise<Membership[]> {
  assertOwn(actor, user)
  const rows = await readMemberships(db, user)
  return rows.map(({ isOwner, mobyRoles, ...provider }) => ({
    provider: toListItem(provider),
    isOwner,
    roles: mobyRoles[isOwner ? 'owner' : 'member'],
  }))
}

/**
 * The keys that a user made and that still work, of either kind.
 * @throws ProblemError `forbidden` if the user is another.
 */
export async function listKeysOf(
  { db }: CedarContext,
  actor: Actor,
  { user }: Of,
): Promise<UserKey[]> {
  assertOwn(actor, user)
  return readKeysOf(db, user)
}

function assertOwn(actor: Actor, user: string): void {
  if (user !== actor.id && !isAdmin(actor))
    throw new ProblemError('forbidden', 'Administrators see the providers and keys of others.')
}
