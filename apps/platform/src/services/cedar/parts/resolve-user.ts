import type { Actor } from '../../../core/actor.ts'
import { keyUser } from '../../../core/http/access.ts'
import { invalidField } from '../../../core/http/problem.ts'
import { findPerson } from '../../../core/people/directory.ts'
import type { CedarDb } from '../tables.ts'
import { hasMet } from './met-users.queries.ts'

/**
 * The id of somebody who is given by id or address. Where people come from an authentication service
 * elsewhere, nobody here can look them up: then it must be the id of somebody whose token was seen.
 * @throws ProblemError that names the field, for a key and for somebody who is not known or is closed.
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
