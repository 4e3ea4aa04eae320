import type { Command } from '../apdu.ts'
import { parseAid } from '../aid.ts'
import { readHex } from '../bytes.ts'
import { maxLogicalChannel } from '../class-byte.ts'
import { DecodeError } from '../decode-error.ts'
import { privilegeNames, type PrivilegeName } from '../privileges.ts'
import {
  closeLogicalChannel,
  deleteKey,
  deleteObject,
  getData,
  getStatus,
  openLogicalChannel,
  select,
  setApplicationState,
  setCardState,
  setLock,
  storeData,
} from './commands.ts'
import { fingerprint } from './fingerprint.ts'
import {
  installForExtradition,
  installForInstall,
  installForLoad,
  installForMakeSelectable,
  installForPersonalization,
  installForRegistryUpdate,
  installParameters,
  loadParameters,
} from './install.ts'

/** One parameter of a command: what a form shows and the service validates. */
export type CommandField =
  | { type: 'aid' | 'hex' | 'text' | 'privileges'; isRequired?: true }
  | { type: 'flag' }
  | { type: 'number'; from: number; to: number; isRequired?: true }
  | { type: 'choice'; choices: readonly string[] }

export type CommandFields = Readonly<Record<string, CommandField>>

type ValueOf<F extends CommandField> = F extends { type: 'flag' }
  ? boolean
  : F extends { type: 'number' }
    ? number
    : F extends { type: 'choice'; choices: readonly (infer Choice)[] }
      ? Choice
      : F extends { type: 'privileges' }
        ? PrivilegeName[]
        : string

type RequiredOf<Fields extends CommandFields> = {
  [Name in keyof Fields]: Fields[Name] extends { isRequired: true } | { type: 'choice' }
    ? Name
    : never
}[keyof Fields]

/** The values of a command's parameters. An omitted choice takes its first option. */
export type CommandValuesOf<Fields extends CommandFields> = {
  [Name in RequiredOf<Fields>]: ValueOf<Fields[Name]>
} & { [Name in Exclude<keyof Fields, RequiredOf<Fields>>]?: ValueOf<Fields[Name]> | undefined }

/** Unvalidated values from outside. */
export type CommandValues = Readonly<Record<string, unknown>>

interface Limits {
  /** The maximum data length of one command, which the secure channel bounds. */
  longestData: number
}

interface Kind {
  fields: CommandFields
  /** The commands to send, in order. @throws DecodeError */
  commands: (values: CommandValues, limits?: Limits) => Command[]
  /** Whether the commands' data is redacted in the log. */
  isSecret: (values: CommandValues) => boolean
  /** A job that replaces typing the command: `rotation` for keys. */
  guided?: 'rotation'
}

const defineKind = <const Fields extends CommandFields>(
  fields: Fields,
  commands: (values: CommandValuesOf<Fields>, limits: Limits) => Command[],
  more: { isSecret?: (values: CommandValuesOf<Fields>) => boolean; guided?: 'rotation' } = {},
): Kind => {
  const { isSecret = () => false, guided } = more
  const read = (values: CommandValues) => readValues(fields, values) as CommandValuesOf<Fields>
  return {
    fields,
    commands: (values, limits = { longestData: 255 }) => commands(read(values), limits),
    isSecret: (values) => isSecret(read(values)),
    ...(guided && { guided }),
  }
}

const aid = { type: 'aid' } as const
const flag = { type: 'flag' } as const
const hex = { type: 'hex' } as const
const byte = { type: 'number', from: 0, to: 255 } as const
const size = { type: 'number', from: 0, to: 0xffff_ffff } as const

const installPurposes = [
  'install',
  'load',
  'makeSelectable',
  'extradition',
  'personalization',
  'registryUpdate',
] as const

const cardStates = ['initialized', 'secured', 'cardLocked', 'terminated'] as const

export const fingerprintOperations = [
  'info',
  'enrol',
  'cancel',
  'verify',
  'list',
  'rename',
  'delete',
  'reset',
] as const

const bytesOf = (text: string | undefined): Uint8Array =>
  text === undefined || text === '' ? new Uint8Array() : readHex(text)

const touches = ['next', 'first', 'last'] as const

interface FingerprintValues {
  operation: (typeof fingerprintOperations)[number]
  finger?: number | undefined
  touch: (typeof touches)[number]
  name?: string | undefined
}

function fingerprintCommand({ operation, finger, touch, name = '' }: FingerprintValues): Command {
  if (operation === 'enrol' && touch === 'last') return fingerprint({ kind: 'finishEnrolment' })
  if (operation !== 'enrol' && operation !== 'delete' && operation !== 'rename')
    return fingerprint({ kind: operation })
  if (finger === undefined) throw new CommandValueError('finger', 'required')
  if (operation === 'enrol')
    return fingerprint({ kind: operation, finger, restart: touch === 'first' })
  return fingerprint({ kind: operation, finger, name })
}

/**
 * Every kind of session command, in menu order. `command-class.ts` judges the effect of an
 * instruction on a card from its bytes; an unknown one counts as changing keys if a security domain
 * may be selected.
 */
export const sessionCommands = {
  MplSelect: defineKind({ aid, isNext: flag }, ({ aid: name, isNext = false }) => [
    select({ ...(name && { aid: name }), isNext }),
  ]),
  MplGetData: defineKind(
    { tag: { type: 'hex', isRequired: true }, isInterindustry: flag },
    ({ tag, isInterindustry = false }) => [getData({ tag, cla: isInterindustry ? 0x00 : 0x80 })],
  ),
  MplGetStatus: defineKind(
    {
      subset: {
        type: 'choice',
        choices: ['issuer', 'applications', 'loadFiles', 'loadFilesAndModules'],
      },
      aid: hex,
      isNext: flag,
    },
    ({ subset, aid: beginning = '', isNext = false }) => [
      getStatus({ subset, aid: beginning, isNext }),
    ],
  ),
  MplInstall: defineKind(
    {
      purpose: { type: 'choice', choices: installPurposes },
      loadFileAid: aid,
      moduleAid: aid,
      instanceAid: aid,
      securityDomainAid: aid,
      privileges: { type: 'privileges' },
      parameters: hex,
      volatile: size,
      nonVolatile: size,
      codeSize: size,
      isSelectable: flag,
    },
    (values) => [installCommand(values)],
  ),
  MplDelete: defineKind(
    {
      target: { type: 'choice', choices: ['object', 'key'] },
      aid,
      withRelated: flag,
      keyId: { type: 'number', from: 1, to: 127 },
      keyVersion: { type: 'number', from: 1, to: 127 },
    },
    ({ target, aid: name = '', withRelated = false, keyId, keyVersion }) => [
      target === 'object'
        ? deleteObject({ aid: name, withRelated })
        : deleteKey({
            ...(keyId !== undefined && { id: keyId }),
            ...(keyVersion !== undefined && { version: keyVersion }),
          }),
    ],
  ),
  MplPutKey: defineKind(
    { keyVersion: { type: 'number', from: 1, to: 127, isRequired: true } },
    () => [],
    { isSecret: () => true, guided: 'rotation' },
  ),
  MplSetStatus: defineKind(
    {
      target: { type: 'choice', choices: ['card', 'lock', 'unlock', 'application'] },
      cardState: { type: 'choice', choices: cardStates },
      aid,
      withApplications: flag,
      state: byte,
    },
    ({ target, cardState, aid: name = '', withApplications = false, state = 0x07 }) => {
      if (target === 'card') return [setCardState({ state: cardState })]
      if (target === 'application') return [setApplicationState({ aid: name, state })]
      return [setLock({ aid: name, isLocked: target === 'lock', withApplications })]
    },
  ),
  MplStoreData: defineKind(
    {
      data: { type: 'hex', isRequired: true },
      format: { type: 'choice', choices: ['unspecified', 'dgi', 'tlv'] },
      encryption: { type: 'choice', choices: ['unspecified', 'applicationDefined', 'encrypted'] },
      expectsReply: flag,
      isSecret: flag,
    },
    ({ data, format, encryption, expectsReply = false }, { longestData }) =>
      storeData({
        data: bytesOf(data),
        format,
        encryption,
        expectsReply,
        blockSize: Math.min(255, longestData),
      }),
    { isSecret: ({ isSecret = false }) => isSecret },
  ),
  ManageChannel: defineKind(
    {
      action: { type: 'choice', choices: ['open', 'close'] },
      /** The logical channel to close; the card itself says which one it opens. */
      number: { type: 'number', from: 1, to: maxLogicalChannel },
    },
    ({ action, number }) => {
      if (action === 'open') return [openLogicalChannel()]
      if (number === undefined) throw new CommandValueError('number', 'required')
      return [closeLogicalChannel(number)]
    },
  ),
  Fingerprint: defineKind(
    {
      operation: { type: 'choice', choices: fingerprintOperations },
      finger: { type: 'number', from: 1, to: 127 },
      /** Steps of an enrolment: a finger is touched several times, then the enrolment is finished. */
      touch: { type: 'choice', choices: touches },
      name: { type: 'text' },
    },
    (values) => [fingerprintCommand(values)],
  ),
} as const satisfies Record<string, Kind>

export type SessionCommandKind = keyof typeof sessionCommands

export const sessionCommandKinds = Object.keys(sessionCommands) as SessionCommandKind[]

/** The commands of a kind with these values. @throws DecodeError if a value is wrong or missing. */
export const commandsOf = (
  kind: SessionCommandKind,
  values: CommandValues,
  limits?: Limits,
): Command[] => sessionCommands[kind].commands(values, limits)

interface InstallValues {
  purpose: (typeof installPurposes)[number]
  loadFileAid?: string | undefined
  moduleAid?: string | undefined
  instanceAid?: string | undefined
  securityDomainAid?: string | undefined
  privileges?: PrivilegeName[] | undefined
  parameters?: string | undefined
  volatile?: number | undefined
  nonVolatile?: number | undefined
  codeSize?: number | undefined
  isSelectable?: boolean | undefined
}

/** INSTALL. `parameters` goes to the applet; reserved memory is separate. */
function installCommand({
  purpose,
  loadFileAid = '',
  moduleAid = '',
  instanceAid = '',
  securityDomainAid,
  privileges = [],
  parameters,
  volatile,
  nonVolatile,
  codeSize,
  isSelectable = true,
}: InstallValues): Command {
  const memory = {
    ...(volatile !== undefined && { volatile }),
    ...(nonVolatile !== undefined && { nonVolatile }),
  }
  const domain = securityDomainAid ? { securityDomainAid } : {}
  switch (purpose) {
    case 'load':
      return installForLoad({
        loadFileAid,
        ...domain,
        parameters: loadParameters({
          ...memory,
          ...(codeSize !== undefined && { code: codeSize }),
        }),
      })
    case 'install':
      return installForInstall({
        loadFileAid,
        moduleAid,
        instanceAid,
        privileges,
        isSelectable,
        parameters: installParameters({ ...memory, application: bytesOf(parameters) }),
      })
    case 'makeSelectable':
      return installForMakeSelectable({ instanceAid, privileges })
    case 'extradition':
      return installForExtradition({
        aid: instanceAid,
        securityDomainAid: securityDomainAid ?? '',
      })
    case 'personalization':
      return installForPersonalization({ aid: instanceAid })
    case 'registryUpdate':
      return installForRegistryUpdate({ aid: instanceAid, ...domain, privileges })
  }
}

/** An invalid value: which one, and what is wrong. */
export class CommandValueError extends Error {
  override readonly name = 'CommandValueError'
  readonly field: string
  readonly code: 'required' | 'unknown' | 'notHex' | 'notAid' | 'wrongType' | 'outOfRange'

  constructor(field: string, code: CommandValueError['code']) {
    super(`${field}: ${valueProblems[code]}`)
    this.field = field
    this.code = code
  }
}

const valueProblems: Record<CommandValueError['code'], string> = {
  required: 'a value is required',
  unknown: 'this command has no such parameter',
  notHex: 'not whole bytes in hex',
  notAid: 'not an AID of 5 to 16 bytes in hex',
  wrongType: 'a value of another type',
  outOfRange: 'out of range',
}

/** Validates the values of a command. @throws CommandValueError for the first invalid one. */
export function readValues(fields: CommandFields, values: CommandValues): CommandValues {
  for (const name of Object.keys(values))
    if (!Object.hasOwn(fields, name)) throw new CommandValueError(name, 'unknown')
  const read = Object.entries(fields).map(([name, field]) => {
    const value = values[name]
    const isEmpty = value === undefined || value === ''
    if (field.type === 'choice') return [name, choiceOf(name, field.choices, value)]
    if (!isEmpty) return [name, check(name, field, value)]
    if ('isRequired' in field && field.isRequired) throw new CommandValueError(name, 'required')
    return [name, undefined]
  })
  return Object.fromEntries(read) as CommandValues
}

function choiceOf(name: string, choices: readonly string[], value: unknown): string | undefined {
  if (value === undefined || value === '') return choices[0]
  if (typeof value === 'string' && choices.includes(value)) return value
  throw new CommandValueError(name, 'outOfRange')
}

function check(name: string, field: CommandField, value: unknown): unknown {
  switch (field.type) {
    case 'flag':
      if (typeof value !== 'boolean') throw new CommandValueError(name, 'wrongType')
      return value
    case 'number':
      if (typeof value !== 'number' || !Number.isInteger(value))
        throw new CommandValueError(name, 'wrongType')
      if (value < field.from || value > field.to) throw new CommandValueError(name, 'outOfRange')
      return value
    case 'privileges':
      if (!Array.isArray(value)) throw new CommandValueError(name, 'wrongType')
      if (!value.every((each) => (privilegeNames as readonly unknown[]).includes(each)))
        throw new CommandValueError(name, 'outOfRange')
      return value
    case 'text':
      if (typeof value !== 'string') throw new CommandValueError(name, 'wrongType')
      return value
    default:
      return checkHex(name, field.type, value)
  }
}

function checkHex(name: string, type: 'aid' | 'hex' | 'choice', value: unknown): string {
  if (typeof value !== 'string') throw new CommandValueError(name, 'wrongType')
  try {
    const bytes = readHex(value)
    if (type === 'aid') parseAid(bytes)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new CommandValueError(name, type === 'aid' ? 'notAid' : 'notHex')
  }
  return value
}
