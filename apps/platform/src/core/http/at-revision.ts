import { ProblemError } from './problem.ts'

/**
 * The object that a change is based on; without a revision the change always applies.
 * @throws ProblemError `not_found` or `edit_conflict`; `what` names the object, such as "device".
 */
export function atRevision<T extends { revision: number }>(
  found: T | undefined,
  revision: number | undefined,
  what: string,
): T {
  if (!found) throw new ProblemError('not_found', `There is no such ${what}.`)
  if (revision !== undefined && revision !== found.revision)
    throw new ProblemError(
      'edit_conflict',
      `Someone else changed the ${what} after you read it; read it again and repeat the change.`,
    )
  return found
}
