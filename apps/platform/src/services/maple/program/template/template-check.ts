import { createHash } from 'node:crypto'
import type { FieldError } from '@grove/contract/shapes'
import { maxContentLength } from '@grove/contract/maple/program/template.rules'
import {
  problemsOfTemplate,
  readyAction,
  type TemplateContent,
  type TemplateProblem,
} from '@grove/contract/maple/program/template-step.rules'
import {
  readParameters,
  TemplateValueError,
  type ParameterValues,
  type TemplateProblemCode,
} from '@grove/contract/maple/program/template-parameter.rules'
import { ProblemError } from '../../../../core/http/problem.ts'

const texts: Record<TemplateProblemCode, string> = {
  required: 'A value is required.',
  unknown: 'This kind of step has no such field.',
  notHex: 'This is not whole bytes in hex.',
  notAid: 'This is not an AID of 5 to 16 bytes in hex.',
  wrongType: 'The value has the wrong type.',
  outOfRange: 'The value is out of range.',
  unknownParameter: 'There is no such parameter.',
  wrongParameter: 'The length of a value fits only where bytes are meant.',
  badPlaceholder: 'Write a parameter as {{name}}, or its length as {{name.length}}.',
  tooLong: 'The value is too long here.',
  badName: 'A name begins with a letter and has up to 40 letters, digits and underscores.',
  duplicateName: 'Another parameter has this name.',
  noChoices: 'Add at least one choice.',
  secretDefault: 'A secret has no default: it would be kept in the template.',
  needsSecret:
    'Write a PIN or encrypted data as a secret parameter: what stands here is kept in the template.',
  badStatusWord: 'A status word is four hex digits that begin with 6 or 9.',
  notApplet: 'Choose an applet.',
  finalState:
    'A template cannot terminate cards: each termination needs a second person, on the card’s own page.',
  reserved:
    'A template does not change keys, the state of cards or privileges over them: the page of each element does.',
  noChannel: 'Open a secure channel in an earlier step.',
  noSteps: 'Add a step.',
  cannotEncode: 'These values do not form a valid command.',
}

/** The field of the content that a problem is about, such as `steps.2.rollback.values.aid`. */
function pathOf({ step, isRollback, parameterAt, field }: TemplateProblem): string {
  if (parameterAt !== null) return `parameters.${parameterAt}.${field}`
  if (step === null) return field
  const at = `steps.${step}${isRollback ? '.rollback' : ''}`
  if (field === '') return at
  return field === 'expect' || field === 'contains' ? `${at}.${field}` : `${at}.values.${field}`
}

const errorOf = (
  path: string,
  code: TemplateProblemCode,
  parameter: string | null,
): FieldError => ({
  path,
  code,
  message: texts[code],
  ...(parameter !== null && { params: { parameter } }),
})

function refuse(errors: FieldError[]): void {
  const [first] = errors
  if (first)
    throw new ProblemError('invalid_request', `${first.path}: ${first.message}`, { errors })
}

/** @throws ProblemError `invalid_request` with every step and field that is wrong. */
export const assertValid = (content: TemplateContent): void =>
  refuse(
    problemsOfTemplate(content).map((problem) =>
      errorOf(pathOf(problem), problem.code, problem.parameter),
    ),
  )

/**
 * The values of the parameters, which fit every step.
 * @throws ProblemError `invalid_request` with every value that is wrong.
 */
export function assertValues(
  content: TemplateContent,
  input: readonly { name: string; value: string | number }[],
): ParameterValues {
  const given = Object.fromEntries(input.map(({ name, value }) => [name, value]))
  const { values, problems } = readParameters(content.parameters, given)
  refuse(
    problems.map(({ field, code, parameter = null }) => errorOf(`input.${field}`, code, parameter)),
  )
  for (const [index, step] of content.steps.entries())
    for (const [action, at] of [
      [step, `steps.${index}`],
      [step.rollback, `steps.${index}.rollback`],
    ] as const)
      try {
        if (action) readyAction(action, values)
      } catch (error) {
        if (!(error instanceof TemplateValueError)) throw error
        refuse([errorOf(`${at}.values.${error.field}`, error.code, error.parameter ?? null)])
      }
  return values
}

/** @throws ProblemError `limit_reached` */
export function assertSize(content: TemplateContent): void {
  if (JSON.stringify(content).length > maxContentLength)
    throw new ProblemError(
      'limit_reached',
      `A template can have at most ${maxContentLength} characters. Shorten its values.`,
    )
}

/** The same for the same content, however its fields are ordered. */
export const hashOf = (content: TemplateContent): string =>
  createHash('sha256').update(JSON.stringify(content, inOrder)).digest('hex')

const inOrder = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value
