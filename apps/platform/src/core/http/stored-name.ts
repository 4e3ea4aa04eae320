import { isReadableName, normaliseName } from '@grove/contract/name.rules'
import { invalidField } from './problem.ts'

/** What is wrong with a name, from a schema or from a service. */
export const unreadableName =
  'holds invisible characters, such as those that change the direction of text; remove them'

/**
 * A name as stored: on one line and NFC-normalised.
 * @throws ProblemError `invalid_request` if it is blank or unreadable.
 */
export function storedName(path: string, given: string): string {
  const name = normaliseName(given)
  if (name === '')
    throw invalidField(path, 'minLength', `${path} must have at least 1 visible character.`, {
      limit: 1,
    })
  if (!isReadableName(name))
    throw invalidField(path, 'format', `${path} ${unreadableName}.`, { format: 'name' })
  return name
}
