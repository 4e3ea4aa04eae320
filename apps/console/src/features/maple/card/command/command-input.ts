import {
  CommandValueError,
  commandsOf,
  sessionCommands,
  type CommandFields,
  type CommandValues,
  type SessionCommandKind,
} from '@grove/secure-element/host/command-kinds'
import { encodeCommand } from '@grove/secure-element/apdu'
import { reservedReason, type CommandReason } from '@grove/secure-element/command-class'
import { DecodeError } from '@grove/secure-element/decode-error'

/** The state of the form: texts as typed. */
export type CommandInput = Readonly<Record<string, string | boolean | readonly string[]>>

/** The parameters relevant to the choices made; a kind that is not listed uses all. */
const relevant: Partial<Record<SessionCommandKind, Record<string, readonly string[]>>> = {
  MplInstall: {
    load: ['loadFileAid', 'securityDomainAid', 'codeSize', 'volatile', 'nonVolatile'],
    install: [
      'loadFileAid',
      'moduleAid',
      'instanceAid',
      'privileges',
      'parameters',
      'volatile',
      'nonVolatile',
      'isSelectable',
    ],
    makeSelectable: ['instanceAid', 'privileges'],
    extradition: ['instanceAid', 'securityDomainAid'],
    personalization: ['instanceAid'],
    registryUpdate: ['instanceAid', 'securityDomainAid', 'privileges'],
  },
  MplDelete: { object: ['aid', 'withRelated'], key: ['keyId', 'keyVersion'] },
  MplSetStatus: {
    card: ['cardState'],
    lock: ['aid', 'withApplications'],
    unlock: ['aid', 'withApplications'],
    application: ['aid', 'state'],
  },
  ManageChannel: { open: [], close: ['number'] },
  Fingerprint: {
    info: [],
    enrol: ['finger', 'touch'],
    cancel: [],
    verify: [],
    list: [],
    rename: ['finger', 'name'],
    delete: ['finger'],
    reset: [],
  },
}

/** The fields without which a command makes no sense, by the first choice: empty AIDs would be sent. */
const needed: Partial<Record<SessionCommandKind, Record<string, readonly string[]>>> = {
  MplInstall: {
    load: ['loadFileAid'],
    install: ['loadFileAid', 'moduleAid', 'instanceAid'],
    makeSelectable: ['instanceAid'],
    extradition: ['instanceAid', 'securityDomainAid'],
    personalization: ['instanceAid'],
    registryUpdate: ['instanceAid'],
  },
  MplDelete: { object: ['aid'] },
  MplSetStatus: { lock: ['aid'], unlock: ['aid'], application: ['aid'] },
  ManageChannel: { close: ['number'] },
  Fingerprint: { enrol: ['finger'], rename: ['finger', 'name'], delete: ['finger'] },
}

/** The names of the required fields. */
export function neededFields(kind: SessionCommandKind, input: CommandInput): string[] {
  const fields = fieldsOf(kind)
  const [first = ''] = Object.keys(fields)
  const required = Object.entries(fields).flatMap(([name, field]) =>
    'isRequired' in field ? [name] : [],
  )
  const byChoice = needed[kind]?.[String(input[first])] ?? []
  const shown = shownFields(kind, input)
  return [...required, ...byChoice.filter((name) => shown.includes(name))]
}

export const fieldsOf = (kind: SessionCommandKind): CommandFields => sessionCommands[kind].fields

/** The initial values: INSTALL makes an applet selectable by default. */
export function firstInput(kind: SessionCommandKind): CommandInput {
  return Object.fromEntries(
    Object.entries(fieldsOf(kind)).map(([name, field]) => {
      if (field.type === 'flag') return [name, name === 'isSelectable']
      if (field.type === 'privileges') return [name, []]
      return [name, field.type === 'choice' ? (field.choices[0] ?? '') : '']
    }),
  )
}

/** The names of the visible fields, in order. */
export function shownFields(kind: SessionCommandKind, input: CommandInput): string[] {
  const names = Object.keys(fieldsOf(kind))
  const [first = ''] = names
  const shown = relevant[kind]?.[String(input[first])]
  if (!shown) return names
  // Finishing an enrolment always concerns the finger that was touched.
  const isFinger = (name: string) => name === 'finger' && input['touch'] === 'last'
  return names.filter((name) => name === first || (shown.includes(name) && !isFinger(name)))
}

/** The request body: only visible fields, numbers as numbers. */
export function valuesOf(kind: SessionCommandKind, input: CommandInput): CommandValues {
  const fields = fieldsOf(kind)
  const values = shownFields(kind, input).map((name) => {
    const value = input[name]
    if (typeof value !== 'string') return [name, value]
    const text = value.trim()
    if (text === '') return [name, undefined]
    return [name, fields[name]?.type === 'number' ? numberOf(text) : text]
  })
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as CommandValues
}

/** A number in decimal, or in hex with 0x. Anything else stays text, which is refused. */
const numberOf = (text: string): number | string =>
  /^(\d+|0x[0-9a-f]+)$/i.test(text) ? Number(text) : text

/** The bytes that a form would send, or the field that prevents it. */
export type Preview =
  | {
      kind: 'bytes'
      commands: Uint8Array[]
      /** Why a session refuses to send them. */
      reserved: CommandReason | undefined
    }
  | { kind: 'field'; field: string; code: CommandValueError['code'] }
  | { kind: 'wrong'; error: DecodeError }

/** @param longestData The maximum data length of one command in the open channel. */
export function previewOf(
  kind: SessionCommandKind,
  input: CommandInput,
  longestData: number,
): Preview {
  const missing = neededFields(kind, input).find((name) => String(input[name] ?? '').trim() === '')
  if (missing !== undefined) return { kind: 'field', field: missing, code: 'required' }
  try {
    const commands = commandsOf(kind, valuesOf(kind, input), { longestData })
    return {
      kind: 'bytes',
      commands: commands.map(encodeCommand),
      reserved: reservedReason(commands),
    }
  } catch (error) {
    if (error instanceof CommandValueError)
      return { kind: 'field', field: error.field, code: error.code }
    if (error instanceof DecodeError) return { kind: 'wrong', error }
    throw error
  }
}
