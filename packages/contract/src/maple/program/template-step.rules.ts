import { encodeCommand, parseCommand } from '@grove/secure-element/apdu'
import { readHex, toHex } from '@grove/secure-element/bytes'
import {
  classifyBytes,
  mildestPlace,
  reservedReason,
  type CommandReason,
} from '@grove/secure-element/command-class'
import { attempt, DecodeError } from '@grove/secure-element/decode-error'
import {
  CommandValueError,
  commandsOf,
  readValues,
  sessionCommands,
  type CommandField,
  type CommandFields,
  type CommandValues,
  type SessionCommandKind,
} from '@grove/secure-element/host/command-kinds'
import { redactionOf } from './redaction.rules.ts'
import {
  fillText,
  parameterNamePattern,
  partsOf,
  readParameter,
  TemplateValueError,
  type ParameterValues,
  type TemplateParameter,
  type TemplateProblemCode,
} from './template-parameter.rules.ts'

export type StepKind =
  | 'openChannel'
  | 'installApplet'
  | 'deleteApplet'
  | 'raw'
  | Exclude<SessionCommandKind, 'MplPutKey' | 'ManageChannel'>

type OwnKind = 'openChannel' | 'installApplet' | 'deleteApplet' | 'raw'

/** A parameter of a step; `applet` is the id of one that was uploaded. */
export type StepField = CommandField | { type: 'applet'; isRequired: true }
export type StepFields = Readonly<Record<string, StepField>>

const ownFields = {
  openChannel: {
    level: { type: 'choice', choices: ['03', '33', '13', '11', '01', '00'] },
    keyVersion: { type: 'number', from: 1, to: 127 },
  },
  installApplet: {
    applet: { type: 'applet', isRequired: true },
    instanceAid: { type: 'aid' },
    parameters: { type: 'hex' },
  },
  deleteApplet: { applet: { type: 'applet', isRequired: true } },
  raw: {
    command: { type: 'hex', isRequired: true },
    isPlain: { type: 'flag' },
    isSecret: { type: 'flag' },
  },
} as const satisfies Record<OwnKind, StepFields>

/** Every kind of step, in the order that a person chooses from. */
export const stepKinds: readonly StepKind[] = [
  'openChannel',
  'MplSelect',
  'installApplet',
  'deleteApplet',
  'MplInstall',
  'MplDelete',
  'MplSetStatus',
  'MplStoreData',
  'MplGetData',
  'MplGetStatus',
  'Fingerprint',
  'raw',
]

export const isOwnKind = (kind: StepKind): kind is OwnKind => Object.hasOwn(ownFields, kind)

export const stepFields = (kind: StepKind): StepFields =>
  isOwnKind(kind) ? ownFields[kind] : sessionCommands[kind].fields

/** One action on a card. Each text is a literal, with or without `{{parameter}}`. */
export interface TemplateAction {
  kind: StepKind
  values: Readonly<Record<string, unknown>>
}

export interface TemplateStep extends TemplateAction {
  title?: string | undefined
  /** Accepted status words; default `9000`. */
  expect?: string[] | undefined
  /** Bytes in hex that the reply has somewhere. */
  contains?: string | undefined
  /** What undoes the step if a later one fails. */
  rollback?: TemplateAction | undefined
}

export interface TemplateContent {
  parameters: TemplateParameter[]
  steps: TemplateStep[]
}

const defaultExpect: Partial<Record<StepKind, readonly string[]>> = {
  // More entries than one reply holds.
  MplGetStatus: ['9000', '6310'],
}

export const expectedOf = ({ kind, expect }: Pick<TemplateStep, 'kind' | 'expect'>) =>
  expect && expect.length > 0
    ? expect.map((word) => word.toUpperCase())
    : (defaultExpect[kind] ?? ['9000'])

/** The input of a step once its parameters are filled in. */
export type ReadyAction =
  | { kind: 'openChannel'; level: string; keyVersion: number | undefined }
  | { kind: 'installApplet'; applet: string; instanceAid?: string; parameters?: string }
  | { kind: 'deleteApplet'; applet: string }
  /** One command APDU in hex; `isPlain` bypasses the secure channel. */
  | { kind: 'raw'; command: string; isPlain: boolean; isSecret: boolean }
  | { kind: Exclude<StepKind, OwnKind>; values: CommandValues; isSecret: boolean }

/**
 * A step with the values of its parameters, checked by the rules of its kind.
 * @throws TemplateValueError for the first field that cannot be used.
 */
export function readyAction({ kind, values: given }: TemplateAction, values: ParameterValues) {
  const fields = stepFields(kind)
  const filled = Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      return [name, field ? fillField(name, field, value, values) : value]
    }),
  )
  const hasSecret = Object.values(given).some((value) => isSecretText(value, values))
  return asTemplateErrors(() => readyValues(kind, filled, hasSecret))
}

function readyValues(kind: StepKind, filled: CommandValues, hasSecret: boolean): ReadyAction {
  const fields = stepFields(kind)
  if (!isOwnKind(kind)) {
    const reason = reservedReason(commandsOf(kind, filled))
    if (reason === 'terminate') throw new TemplateValueError('cardState', 'finalState')
    if (reason !== undefined) throw new TemplateValueError(reservedFields[reason] ?? '', 'reserved')
    return { kind, values: filled, isSecret: hasSecret || sessionCommands[kind].isSecret(filled) }
  }
  const read = readValues(plainFields(fields), filled)
  const text = (name: string) => (typeof read[name] === 'string' ? read[name] : '')
  if (kind === 'openChannel') {
    const keyVersion = typeof read['keyVersion'] === 'number' ? read['keyVersion'] : undefined
    return { kind, level: text('level'), keyVersion }
  }
  if (kind === 'raw') {
    const bytes = readHex(text('command'))
    const command = toHex(bytes)
    if (!attempt(() => parseCommand(bytes))) throw new TemplateValueError('command', 'cannotEncode')
    const { reason } = classifyBytes(bytes, mildestPlace)
    if (reason === 'terminate') throw new TemplateValueError('command', 'finalState')
    // A session may send PUT KEY to an application; a template would store the keys.
    const redaction = redactionOf(bytes, false)
    if (reason !== undefined || redaction === 'keys')
      throw new TemplateValueError('command', 'reserved')
    // Without data, VERIFY queries the remaining tries.
    if (redaction !== null && !hasSecret && bytes.length > 5)
      throw new TemplateValueError('command', 'needsSecret')
    const isSecret = hasSecret || read['isSecret'] === true
    return { kind, command, isPlain: read['isPlain'] === true, isSecret }
  }
  const applet = text('applet')
  if (!uuid.test(applet)) throw new TemplateValueError('applet', 'notApplet')
  if (kind === 'deleteApplet') return { kind, applet }
  return { kind, applet, instanceAid: text('instanceAid'), parameters: text('parameters') }
}

/** Bytes that bypass the channel end it, and so does SELECT. */
const isRawEnd = ({ kind, values: { command, isPlain } }: TemplateAction): boolean =>
  kind === 'raw' &&
  (isPlain === true || (typeof command === 'string' && /^\s*0\d\W*A4/i.test(command)))

/** Steps that need the right to send raw bytes, in a session as in a template. */
export const hasRawSteps = ({ steps }: Pick<TemplateContent, 'steps'>): boolean =>
  steps.some(({ kind, rollback }) => kind === 'raw' || rollback?.kind === 'raw')

/** The fields that reserve a command for the page of an element. */
const reservedFields: Partial<Record<CommandReason, string>> = {
  deleteKey: 'target',
  storeKeys: 'data',
  cardState: 'cardState',
  privileges: 'privileges',
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const plainFields = (fields: StepFields): CommandFields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      field.type === 'applet' ? ({ type: 'text', isRequired: true } as const) : field,
    ]),
  )

function fillField(
  name: string,
  field: StepField,
  value: unknown,
  values: ParameterValues,
): unknown {
  if (typeof value !== 'string') return value
  const isHex = field.type === 'hex' || field.type === 'aid'
  const text = fillText(name, value, { isHex, values })
  if (field.type !== 'number') return text === '' ? undefined : text
  if (text.trim() === '') return undefined
  return /^(\d+|0x[0-9a-f]+)$/i.test(text.trim()) ? Number(text) : text
}

/** Whether a text has a secret parameter in it. */
export const isSecretText = (value: unknown, values: ParameterValues): boolean =>
  typeof value === 'string' &&
  partsOf('', value).some(
    (part) => typeof part !== 'string' && values.get(part.parameter)?.isSecret === true,
  )

function asTemplateErrors<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof CommandValueError) throw new TemplateValueError(error.field, error.code)
    if (error instanceof DecodeError) throw new TemplateValueError('', 'cannotEncode')
    throw error
  }
}

/** The bytes in hex that the reply must have, with the values of parameters in them. */
export const readyContains = (text: string, values: ParameterValues): Uint8Array =>
  asTemplateErrors(() => {
    const hex = fillText('contains', text, { isHex: true, values })
    try {
      return hex.trim() === '' ? new Uint8Array() : readHex(hex)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      throw new TemplateValueError('contains', 'notHex')
    }
  })

/** The bytes that a step would send, for the form; composite steps depend on the card. */
export function bytesOf(action: ReadyAction, longestData = 255): Uint8Array[] {
  if (action.kind === 'raw') return [readHex(action.command)]
  if (!('values' in action)) return []
  return asTemplateErrors(() =>
    commandsOf(action.kind, action.values, { longestData }).map(encodeCommand),
  )
}

/** What is wrong with a template: at which step or parameter, in which field. */
export interface TemplateProblem {
  /** Counted from 0; null for a parameter, or the whole. */
  step: number | null
  isRollback: boolean
  /** The index of the parameter that is wrong; null for a step. */
  parameterAt: number | null
  field: string
  code: TemplateProblemCode
  /** The parameter that a field names. */
  parameter: string | null
}

const nowhere = { step: null, isRollback: false, parameterAt: null, parameter: null }

/** Everything that prevents publishing a template, in the order of its parts. */
export function problemsOfTemplate({ parameters, steps }: TemplateContent): TemplateProblem[] {
  const problems = parameters.flatMap((_, index) => problemsOfParameter(parameters, index))
  if (steps.length === 0) problems.push({ ...nowhere, field: 'steps', code: 'noSteps' })
  let hasChannel = false
  for (const [index, step] of steps.entries()) {
    problems.push(...problemsOfStep(parameters, step, index))
    if (step.kind === 'openChannel') hasChannel = true
    if (step.kind === 'MplSelect' || isRawEnd(step)) hasChannel = false
    if ((step.kind === 'installApplet' || step.kind === 'deleteApplet') && !hasChannel)
      problems.push({ ...nowhere, step: index, field: '', code: 'noChannel' })
  }
  return problems
}

function problemsOfParameter(
  parameters: readonly TemplateParameter[],
  index: number,
): TemplateProblem[] {
  const parameter = parameters[index]
  if (!parameter) return []
  const problems: TemplateProblem[] = []
  const add = (field: string, code: TemplateProblemCode) =>
    problems.push({ ...nowhere, parameterAt: index, field, code })
  const { name, type, choices = [] } = parameter
  if (!new RegExp(parameterNamePattern).test(name)) add('name', 'badName')
  else if (parameters.findIndex((each) => each.name === name) !== index)
    add('name', 'duplicateName')
  if (type === 'choice' && choices.filter((choice) => choice.trim() !== '').length === 0)
    add('choices', 'noChoices')
  if (parameter.isSecret && parameter.default) add('default', 'secretDefault')
  try {
    if (parameter.default) readParameter({ ...parameter, isRequired: false }, parameter.default)
  } catch (error) {
    if (!(error instanceof TemplateValueError)) throw error
    add('default', error.code)
  }
  return problems
}

/** Tested with valid values: every choice, and one of each other type. */
function problemsOfStep(
  parameters: readonly TemplateParameter[],
  step: TemplateStep,
  index: number,
): TemplateProblem[] {
  const found = new Map<string, TemplateProblem>()
  const check = (work: () => unknown, isRollback: boolean) => {
    try {
      work()
    } catch (error) {
      if (!(error instanceof TemplateValueError)) throw error
      const { field, code, parameter = null } = error
      const problem = { ...nowhere, step: index, isRollback, field, code, parameter }
      const key = `${isRollback} ${field}`
      if (!found.has(key)) found.set(key, problem)
    }
  }
  const rounds = Math.max(1, ...parameters.map(({ choices = [] }) => choices.length))
  for (let round = 0; round < rounds; round++) {
    const values = sampleValues(parameters, round)
    check(() => readyAction(step, values), false)
    check(() => readyContains(step.contains ?? '', values), false)
    const { rollback } = step
    if (rollback) check(() => readyAction(rollback, values), true)
  }
  if ((step.expect ?? []).some((word) => !statusWord.test(word)))
    found.set('expect', { ...nowhere, step: index, field: 'expect', code: 'badStatusWord' })
  return [...found.values()]
}

const statusWord = /^[69][0-9a-f]{3}$/i

const samples = { text: 'text', hex: '00', aid: 'A000000151000000', number: '1' } as const

/** Defaults of parameters, and a valid value if there is none. */
export const exampleValues = (parameters: readonly TemplateParameter[]): ParameterValues =>
  sampleValues(parameters, 0)

function sampleValues(parameters: readonly TemplateParameter[], round: number): ParameterValues {
  return new Map(
    parameters.map((parameter) => {
      const { name, type, choices = [], isSecret = false } = parameter
      const sample =
        type === 'choice'
          ? (choices[round % Math.max(1, choices.length)] ?? '')
          : (valueOrNone(parameter) ?? samples[type])
      return [name, { type, value: sample, isSecret }]
    }),
  )
}

/** The default of a parameter, where it has one that can be used. */
function valueOrNone(parameter: TemplateParameter): string | undefined {
  try {
    return readParameter({ ...parameter, isRequired: true }, parameter.default) || undefined
  } catch {
    return undefined
  }
}
