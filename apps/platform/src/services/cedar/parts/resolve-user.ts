import type { Actor } from '../../../core/actor.ts'
import { keyUser } from '../../../core/http/access.ts'
import { invalidField } from '../../../core/http/problem.ts'
import { findPerson } from '../../../core/people/directory.ts'
import type { CedarDb } from '../tables.ts'
import { hasMet } from './met-users.queries.ts'

/**
 * The user id for an id or email address. If people come from an authentication service elsewhere,
 * they cannot be looked up here: then it must be the id of someone whose token was seen.
 * @throws ProblemError that names the field, for a key and for a user who is unknown or closed.
 */
export async function resolveUser(
  db: CedarDb,
  actor: Actor,
  { field, user, mayBeClosed = false }: { field: string; user: string; mayBeClosed?: boolean },
): Promise<string> {
  if (user.startsWith(keyUser))
    throw invalidField(field, 'pattern', 'This is the id of a publish key, not of a user.')
  const found = await findPerson(db, actor.id, user)
  if (found === 'elsewhere') {
    if (user === actor.id || (await hasMet(db, user))) return user
    throw invalidField(
      field,
      'unknown_user',
      'Nobody with this id has signed in here. People of an authentication service elsewhere are known by the id in their token once they have signed in: ask them to open the dashboard first.',
    )
  }
  if (found === 'unknown')
    throw invalidField(
      field,
      'unknown_user',
      'No account has this id or confirmed email address. Use the id where the address is not confirmed yet.',
    )
  if (found.isClosed && !mayBeClosed)
    throw invalidField(field, 'account_disabled', 'The account of this user is disabled.')
  return found.id
}
