import {
  attributeTypes,
  isAttributeKey,
  isOfItsType,
  maxAttributeKeyLength,
  maxAttributeTextLength,
  type AttributeType,
  type AttributeValue,
} from '@grove/contract/maple/fleet/device.rules'
import { isReadableName, normaliseName } from '@grove/contract/name.rules'
import { DeepJsonError, deepestJson, readJson } from '../../../../core/json-depth.ts'
import type { Wrong } from './row-problem.ts'

type Attributes = Record<string, AttributeValue>
type Problem = Pick<Wrong, 'code' | 'params' | 'value'>

/** An attribute of one column: the text of a cell is read as its type. */
export function attributeOf(
  key: string,
  type: AttributeType,
  given: unknown,
): Attributes | Problem {
  const value = typeof given === 'string' ? valueOf(type, given.trim()) : given
  return checked(key, { type, value: value as AttributeValue['value'] })
}

function valueOf(type: AttributeType, text: string): AttributeValue['value'] {
  if (type === 'number') return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : text
  if (type !== 'boolean') return normaliseName(text)
  const lower = text.toLowerCase()
  return lower === 'true' || lower === 'false' ? lower === 'true' : text
}

/**
 * Several attributes: an object, or JSON in a cell. A value has a type, as in an export, or is a bare
 * string, number or boolean.
 */
export function attributesOf(given: unknown): Attributes | Problem {
  const object = typeof given === 'string' ? parsed(given) : given
  if (object instanceof DeepJsonError)
    return { code: 'json_too_deep', params: { limit: deepestJson } }
  if (typeof object !== 'object' || object === null || Array.isArray(object))
    return { code: 'wrong_kind' }
  const attributes: Attributes = {}
  for (const [key, value] of Object.entries(object)) {
    const one = checked(key, typedValue(value))
    if ('code' in one && typeof one.code === 'string') return one
    Object.assign(attributes, one)
  }
  return attributes
}

function parsed(text: string): unknown {
  try {
    return readJson(text)
  } catch (error) {
    return error instanceof DeepJsonError ? error : undefined
  }
}

function typedValue(value: unknown): AttributeValue {
  if (typeof value === 'object' && value !== null) {
    const { type, value: inner } = value as AttributeValue
    return {
      type,
      value: typeof inner === 'string' ? normaliseName(inner) : inner,
    }
  }
  if (typeof value === 'number') return { type: 'number', value }
  if (typeof value === 'boolean') return { type: 'boolean', value }
  return { type: 'text', value: normaliseName(String(value)) }
}

function checked(key: string, { type, value }: AttributeValue): Attributes | Problem {
  const params = { key: key.slice(0, maxAttributeKeyLength), type }
  const isRight =
    isAttributeKey(key) &&
    attributeTypes.includes(type) &&
    isOfItsType({ type, value }) &&
    (typeof value !== 'string' ||
      (value.length <= maxAttributeTextLength && value.isWellFormed() && isReadableName(value)))
  return isRight
    ? { [key]: { type, value } }
    : { code: 'bad_attribute', params, value: String(value) }
}
