import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { Device } from '@grove/contract/maple/fleet/device'
import { isOfItsType, normaliseTag } from '@grove/contract/maple/fleet/device.rules'
import { invalidField } from '../../../../core/http/problem.ts'
import { storedName } from '../../../../core/http/stored-name.ts'

type Labels = Required<Pick<BodyOf<Calls['POST /api/maple/device']>, 'tags' | 'attributes'>>

/**
 * Tags as they are stored: in lower case, each once, in order.
 * @throws ProblemError `invalid_request` for one that is blank.
 */
export const storedTags = (tags: Labels['tags']): string[] =>
  [...new Set(tags.map((tag, at) => normaliseTag(storedName(`tags.${at}`, tag))))].toSorted()

/**
 * Attributes as they are stored: text on one line.
 * @throws ProblemError `invalid_request` for a value that is not of its type.
 */
export const storedAttributes = (attributes: Labels['attributes']): Device['attributes'] =>
  Object.fromEntries(
    Object.entries(attributes).map(([key, { type, value: given }]) => {
      const path = `attributes.${key}.value`
      const value = type === 'text' && typeof given === 'string' ? storedName(path, given) : given
      if (!isOfItsType({ type, value }))
        throw invalidField(path, 'type', `${path} must be a ${type}.`, { type })
      return [key, { type, value }]
    }),
  )
