import { parseAid } from '@grove/secure-element/aid'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { DecodeError } from '@grove/secure-element/decode-error'

export const parameterTypes = ['text', 'hex', 'aid', 'number', 'choice'] as const
export type ParameterType = (typeof parameterTypes)[number]

export const parameterNamePattern = '^[A-Za-z][A-Za-z0-9_]{0,39}$'
export const maxParameterValueLength = 2_000
export const largestNumber = 0xffff_ffff

/** Values that are filled in to run a template, as typed text. */
export interface TemplateParameter {
  name: string
  type: ParameterType
  /** The label of the field. */
  label?: string | undefined
  isRequired?: boolean | undefined
  default?: string | undefined
  /** Of a `choice`. */
  choices?: string[] | undefined
  /** The value is never shown again. */
  isSecret?: boolean | undefined
}

/** The value of each parameter that has one, checked and in one form. */
export interface ParameterValue {
  type: ParameterType
  value: string
  isSecret: boolean
}
export type ParameterValues = ReadonlyMap<string, ParameterValue>

export const templateProblemCodes = [
  'required',
  'unknown',
  'notHex',
  'notAid',
  'wrongType',
  'outOfRange',
  'unknownParameter',
  'wrongParameter',
  'badPlaceholder',
  'tooLong',
  'badName',
  'duplicateName',
  'noChoices',
  'secretDefault',
  'needsSecret',
  'badStatusWord',
  'notApplet',
  'finalState',
  'reserved',
  'noChannel',
  'noSteps',
  'cannotEncode',
] as const
export type TemplateProblemCode = (typeof templateProblemCodes)[number]

/** An invalid value: which field, and what is wrong. */
export class TemplateValueError extends Error {
  override readonly name = 'TemplateValueError'
  readonly field: string
  readonly code: TemplateProblemCode
  /** The parameter that is meant, where the field names one. */
  readonly parameter: string | undefined

  constructor(field: string, code: TemplateProblemCode, parameter?: string) {
    super(`${field}: ${code}`)
    this.field = field
    this.code = code
    this.parameter = parameter
  }
}

/**
 * Part of a text: a literal, or a parameter; `plus` makes it the length of the value in bytes, as one
 * byte.
 */
export type TextPart = string | { parameter: string; plus: number | null }

const placeholder = /\{\{([^{}]*)\}\}/g
const inside = /^\s*([A-Za-z][A-Za-z0-9_]{0,39})(\.length(?:\+(\d{1,3}))?)?\s*$/

/**
 * The pieces of a literal with placeholders: `{{name}}`, and `{{name.length}}` or
 * `{{name.length+5}}` for one byte with the length of its bytes.
 * @throws TemplateValueError `badPlaceholder`
 */
export function partsOf(field: string, text: string): TextPart[] {
  const parts: TextPart[] = []
  let end = 0
  const literal = (piece: string) => {
    if (piece.includes('{{') || piece.includes('}}'))
      throw new TemplateValueError(field, 'badPlaceholder')
    if (piece !== '') parts.push(piece)
  }
  for (const match of text.matchAll(placeholder)) {
    literal(text.slice(end, match.index))
    const [, name, length, plus = '0'] = inside.exec(match[1] ?? '') ?? []
    if (name === undefined) throw new TemplateValueError(field, 'badPlaceholder')
    parts.push({ parameter: name, plus: length === undefined ? null : Number(plus) })
    end = match.index + match[0].length
  }
  literal(text.slice(end))
  return parts
}

/**
 * The value for a parameter, normalised: hex in upper case, a number in decimal. An omitted optional
 * one is empty.
 * @throws TemplateValueError under the name of the parameter.
 */
export function readParameter(parameter: TemplateParameter, given: unknown): string {
  const { name, type, isRequired = false } = parameter
  const problem = (code: TemplateProblemCode) => new TemplateValueError(name, code, name)
  const value = given === undefined || given === null ? (parameter.default ?? '') : given
  const text = typeof value === 'number' && type === 'number' ? String(value) : value
  if (typeof text !== 'string') throw problem('wrongType')
  if (text.length > maxParameterValueLength) throw problem('tooLong')
  // Spaces are part of a text.
  const trimmed = type === 'text' ? text : text.trim()
  if (trimmed === '') {
    if (isRequired) throw problem('required')
    return ''
  }
  switch (type) {
    case 'text':
      if (!isWhole(trimmed)) throw problem('wrongType')
      return trimmed
    case 'number':
      if (!/^(\d{1,10}|0x[0-9a-f]{1,8})$/i.test(trimmed)) throw problem('wrongType')
      if (Number(trimmed) > largestNumber) throw problem('outOfRange')
      return String(Number(trimmed))
    case 'choice':
      if (!(parameter.choices ?? []).includes(trimmed)) throw problem('outOfRange')
      return trimmed
    default:
      return hexValue(trimmed, type, problem)
  }
}

/** Half of a character has no bytes. */
const isWhole = (text: string) => !/\p{Surrogate}/u.test(text)

function hexValue(
  text: string,
  type: 'hex' | 'aid',
  problem: (code: TemplateProblemCode) => TemplateValueError,
): string {
  try {
    const bytes = readHex(text)
    if (type === 'aid') parseAid(bytes)
    return toHex(bytes)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw problem(type === 'aid' ? 'notAid' : 'notHex')
  }
}

/** The values of all parameters, and what is wrong with invalid ones. */
export function readParameters(
  parameters: readonly TemplateParameter[],
  given: Readonly<Record<string, unknown>>,
): { values: ParameterValues; problems: TemplateValueError[] } {
  const values = new Map<string, ParameterValue>()
  const problems: TemplateValueError[] = Object.keys(given)
    .filter((name) => !parameters.some((each) => each.name === name))
    .map((name) => new TemplateValueError(name, 'unknownParameter', name))
  for (const parameter of parameters) {
    const { name, type, isSecret = false } = parameter
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    try {
      values.set(name, { type, value: readParameter(parameter, value), isSecret })
    } catch (error) {
      if (!(error instanceof TemplateValueError)) throw error
      problems.push(error)
    }
  }
  return { values, problems }
}

/**
 * A literal with its parameters filled in. Values are not interpreted: `{{…}}` in them stays
 * unchanged.
 * @throws TemplateValueError
 */
export function fillText(
  field: string,
  text: string,
  { isHex, values }: { isHex: boolean; values: ParameterValues },
): string {
  return partsOf(field, text)
    .map((part) => {
      if (typeof part === 'string') return part
      const { parameter, plus } = part
      const found = values.get(parameter)
      if (!found) throw new TemplateValueError(field, 'unknownParameter', parameter)
      if (!isHex) {
        if (plus !== null) throw new TemplateValueError(field, 'wrongParameter', parameter)
        return found.value
      }
      const hex = hexOf(field, parameter, found)
      return plus === null ? hex : lengthByte(field, parameter, hex.length / 2 + plus)
    })
    .join('')
}

function lengthByte(field: string, parameter: string, length: number): string {
  if (length > 255 || !Number.isInteger(length))
    throw new TemplateValueError(field, 'tooLong', parameter)
  return toHex(Uint8Array.of(length))
}

/** The bytes of a value: a text in UTF-8, a number as one byte. */
function hexOf(field: string, parameter: string, { type, value }: ParameterValue): string {
  if (type === 'text') return toHex(new TextEncoder().encode(value))
  if (type !== 'number') return value.replaceAll(' ', '')
  if (value === '') return ''
  if (Number(value) > 255) throw new TemplateValueError(field, 'tooLong', parameter)
  return toHex(Uint8Array.of(Number(value)))
}
