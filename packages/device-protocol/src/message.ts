import {
  bootPattern,
  commandNamePattern,
  deepestData,
  longestData,
  maxErrorLength,
  maxMessageLength,
  maxNameLength,
  maxPayloadLength,
  maxTopicLength,
  maxOffered,
  maxPort,
  maxRefused,
  protocolVersion,
} from './limits.ts'

/** What the platform stores and acknowledges. */
export const storedKinds = ['telemetry', 'event', 'reported', 'result', 'bytes'] as const
export type StoredKind = (typeof storedKinds)[number]

/** Stored messages of a device. */
export type Content =
  | { t: 'telemetry' | 'event'; d: unknown }
  /**
   * A change of the reported state: null removes a key. `version` is the desired state that it
   * answers, and `refused` says why keys of it were refused.
   */
  | {
      t: 'reported'
      d: Record<string, unknown>
      version?: number
      refused?: Record<string, string>
    }
  /** Result of the command with this id; `error` if it is not ok. */
  | { t: 'result'; id: string; ok: boolean; d?: unknown; error?: string }
  /** A payload in base64, which the product's handler decodes. */
  | { t: 'bytes'; d: string; port?: number; topic?: string }

/** A message with its number within its boot; the first has `seq` 1. */
export type StoredMessage = Content & {
  boot: string
  seq: number
  /**
   * The device's clock, in milliseconds since 1970. Any number is accepted and clamped to the year
   * 9999.
   */
  ts?: number
}

/** A message that a device should not resend. */
export interface Refused {
  t: 'refused'
  boot: string
  seq: number
  error: string
}

/** Messages from a device. */
export type FromDevice =
  | {
      t: 'hello'
      v: number
      boot: string
      /** The name and version of its program. */
      agent?: string
      firmware?: string
      /** CPLCs of the secure elements that it offers. */
      elements?: string[]
      /** The lowest `seq` that it still has or will use: earlier ones will not come. */
      next?: number
    }
  | { t: 'heartbeat' }
  /** The secure elements that it offers from now on, replacing the earlier ones. */
  | { t: 'elements'; elements: string[] }
  | StoredMessage
  | { t: 'reply'; id: number; data: string }
  /** `absent`: the command was not sent. `lost`: whether the card ran it is unknown. */
  | { t: 'failed'; id: number; code: 'absent' | 'inUse' | 'lost' }

/** Why the platform closes a connection. */
export const byeCodes = [
  'replaced',
  'changed',
  'protocol',
  'silent',
  'slow',
  'unavailable',
] as const
export type ByeCode = (typeof byeCodes)[number]

/** Messages from the platform. */
export type ToDevice =
  /**
   * `seq` is the last of this boot that is stored or refused. `held`: nothing is stored until a
   * person accepts the device.
   */
  | { t: 'welcome'; device: string; seq: number; heartbeat: number; window: number; held: boolean }
  /** Everything up to `seq` of this boot is stored, except what was refused. */
  | { t: 'ack'; boot: string; seq: number }
  /** This message will never be stored and must not be resent. `error` says why. */
  | Refused
  | { t: 'exchange'; id: number; session: string; isFirst: boolean; cplc: string; data: string }
  | { t: 'end'; session: string }
  /**
   * Resent with every connection until its result is stored. `exp`: after this nobody waits for it.
   */
  | { t: 'command'; id: string; name: string; d: unknown; exp?: number }
  /** The whole desired state; one that is not above the last version is outdated. */
  | { t: 'desired'; version: number; d: Record<string, unknown> }
  /** The connection closes; the next may be opened after this many milliseconds. */
  | { t: 'bye'; code: ByeCode; retryIn: number }

export const isStored = (message: FromDevice): message is StoredMessage =>
  (storedKinds as readonly string[]).includes(message.t)

export const writeMessage = (message: FromDevice | ToDevice): string => JSON.stringify(message)

type Check = (value: unknown) => boolean

const isText =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value)
const isOneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value)
const isBoolean: Check = (value) => typeof value === 'boolean'
const isWhole =
  (least: number, most: number): Check =>
  (value) =>
    Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most
const isNumber = isWhole(0, Number.MAX_SAFE_INTEGER)
const isPlace = isWhole(1, Number.MAX_SAFE_INTEGER)
/** The end of the year 9999. */
const latestTime = 253_402_300_799_999
const isTime = isWhole(0, latestTime)
// A reading must not be lost because a clock counts in microseconds or is a day off.
const isClock: Check = (value) => typeof value === 'number'
const nearestTime = (clock: number) => Math.trunc(Math.min(Math.max(clock, 0), latestTime))
const isData: Check = (value) => value !== undefined && JSON.stringify(value).length <= longestData
const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isState: Check = (value) => isRecord(value) && isData(value)
const isError: Check = (value) => typeof value === 'string' && value.length <= maxErrorLength
const isRefusal: Check = (value) => {
  if (!isRecord(value)) return false
  const reasons = Object.values(value)
  return reasons.length <= maxRefused && reasons.every(isError)
}
// Printable characters of one line.
const isName = isText(new RegExp(String.raw`^[^\p{C}\p{Z}][^\p{C}]{0,${maxNameLength - 1}}$`, 'u'))
const isId = isText(/^[\w-]{1,64}$/)
const isDevice = isText(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/)
const isBoot = isText(bootPattern)
const isHex = isText(/^([0-9A-Fa-f]{2}){1,65544}$/)
/** Base64 with padding. */
const isPayload: Check = (value) =>
  typeof value === 'string' &&
  Math.floor((value.replaceAll('=', '').length * 3) / 4) <= maxPayloadLength &&
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value)
const isTopic = isText(new RegExp(`^[!-~]{1,${maxTopicLength}}$`))
const cplc = /^[0-9A-F]{84}$/
const isOffer: Check = (value) =>
  Array.isArray(value) && value.length <= maxOffered && value.every(isText(cplc))

interface Shape {
  required: Record<string, Check>
  optional?: Record<string, Check>
}

const storedShape: Shape = {
  required: { boot: isBoot, seq: isPlace, d: isData },
  optional: { ts: isClock },
}

const fromDevice: Record<FromDevice['t'], Shape> = {
  hello: {
    required: { v: isOneOf(protocolVersion), boot: isBoot },
    optional: { agent: isName, firmware: isName, elements: isOffer, next: isPlace },
  },
  heartbeat: { required: {} },
  elements: { required: { elements: isOffer } },
  telemetry: storedShape,
  event: storedShape,
  reported: {
    required: { boot: isBoot, seq: isPlace, d: isState },
    optional: { ts: isClock, version: isPlace, refused: isRefusal },
  },
  result: {
    required: { boot: isBoot, seq: isPlace, id: isId, ok: isBoolean },
    optional: { ts: isClock, d: isData, error: isError },
  },
  bytes: {
    required: { boot: isBoot, seq: isPlace, d: isPayload },
    optional: { ts: isClock, port: isWhole(0, maxPort), topic: isTopic },
  },
  reply: { required: { id: isPlace, data: isHex } },
  failed: { required: { id: isPlace, code: isOneOf('absent', 'inUse', 'lost') } },
}

const toDevice: Record<ToDevice['t'], Shape> = {
  welcome: {
    required: {
      device: isDevice,
      seq: isNumber,
      heartbeat: isPlace,
      window: isPlace,
      held: isBoolean,
    },
  },
  ack: { required: { boot: isBoot, seq: isPlace } },
  refused: { required: { boot: isBoot, seq: isPlace, error: isError } },
  exchange: {
    required: {
      id: isPlace,
      session: isId,
      isFirst: isBoolean,
      cplc: isText(cplc),
      data: isHex,
    },
  },
  end: { required: { session: isId } },
  command: {
    required: { id: isId, name: isText(commandNamePattern), d: isData },
    optional: { exp: isTime },
  },
  desired: { required: { version: isPlace, d: isState } },
  bye: { required: { code: isOneOf(...byeCodes), retryIn: isNumber } },
}

/** Parses a message of a device; undefined for anything else. Unknown fields are dropped. */
export const readFromDevice = (text: string): FromDevice | undefined =>
  messageIn(read(text, fromDevice)) as FromDevice | undefined

/** Parses a message of the platform, likewise. */
export const readToDevice = (text: string): ToDevice | undefined =>
  messageIn(read(text, toDevice)) as ToDevice | undefined

/** What is wrong with a text. */
class Fault {
  readonly error: string
  readonly isTooLong: boolean
  constructor(error: string, isTooLong = false) {
    this.error = error
    this.isTooLong = isTooLong
  }
}

const messageIn = (found: object): object | undefined =>
  found instanceof Fault ? undefined : found

export interface Refusal {
  refused: Refused
  /** It exceeds a limit; otherwise something else is wrong. */
  isTooLong: boolean
  /** The command whose result it would have been. */
  command?: string
}

/**
 * Why a text is not a valid stored message of a device, if its number can be told. A device that
 * waits for its `ack` would resend it forever.
 */
export function refusalOf(text: string): Refusal | undefined {
  const fault = read(text, fromDevice)
  const place = fault instanceof Fault ? readPlace(text) : undefined
  if (!(fault instanceof Fault) || !place) return undefined
  const { boot, seq, command } = place
  return {
    refused: { t: 'refused', boot, seq, error: fault.error },
    isTooLong: fault.isTooLong,
    ...(command !== undefined && { command }),
  }
}

function read(text: string, shapes: Record<string, Shape>): object {
  if (text.length > maxMessageLength)
    return new Fault(
      `The message has ${text.length} characters. At most ${maxMessageLength} are allowed.`,
      true,
    )
  if (isDeep(text))
    return new Fault(
      `The message has more than ${deepestData} arrays and objects inside each other.`,
    )
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    return new Fault('The message is not JSON.')
  }
  if (typeof found !== 'object' || found === null || Array.isArray(found))
    return new Fault('The message is not an object.')
  const fields = new Map<string, unknown>(Object.entries(found))
  const kind = fields.get('t')
  const shape = typeof kind === 'string' && Object.hasOwn(shapes, kind) ? shapes[kind] : undefined
  if (typeof kind !== 'string' || !shape)
    return new Fault(`“t” should be one of ${Object.keys(shapes).join(', ')}.`)
  const message: Record<string, unknown> = { t: kind }
  for (const [name, isRight] of Object.entries(shape.required)) {
    if (!isRight(fields.get(name))) return wrongField(kind, name, fields.get(name))
    message[name] = fields.get(name)
  }
  for (const [name, isRight] of Object.entries(shape.optional ?? {})) {
    if (!fields.has(name)) continue
    if (!isRight(fields.get(name))) return wrongField(kind, name, fields.get(name))
    message[name] = fields.get(name)
  }
  const { ts } = message
  return typeof ts === 'number' ? { ...message, ts: nearestTime(ts) } : message
}

function wrongField(kind: string, name: string, value: unknown): Fault {
  if (value === undefined) return new Fault(`“${name}” is missing, which ${kind} needs.`)
  if (name !== 'd') return new Fault(`“${name}” is not what ${kind} may have there.`)
  if (kind === 'bytes')
    return new Fault(`“d” should be base64 of at most ${maxPayloadLength} bytes.`)
  const { length } = JSON.stringify(value)
  return length > longestData
    ? new Fault(`“d” has ${length} characters. At most ${longestData} are allowed.`, true)
    : new Fault(`“d” of ${kind} should be an object.`)
}

/** Longer than any member of a message that contains its number. */
const maxMemberLength = 128
const member = /^\s*"(t|boot|seq|id)"\s*:\s*(?:"([\w-]*)"|(\d+))\s*$/

/**
 * The number of a message of which nothing else is trusted: one pass over its characters, without a
 * copy, to the end of its object or to where it was truncated. Kinds without a number have none.
 */
function readPlace(
  text: string,
): (Pick<Refused, 'boot' | 'seq'> & Pick<Refusal, 'command'>) | undefined {
  const found = new Map<string, string>()
  const keep = (from: number, to: number) => {
    if (to - from > maxMemberLength) return
    const [, name = '', word, digits] = member.exec(text.slice(from, to)) ?? []
    if (name !== '') found.set(name, word ?? digits ?? '')
  }
  let from = 0
  let depth = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (isQuoted) {
      if (character === 0x5c) at++
      else if (character === 0x22) isQuoted = false
    } else if (depth === 0) {
      if (character === 0x7b) [depth, from] = [1, at + 1]
      else if (character > 0x20) return undefined
    } else if (character === 0x22) isQuoted = true
    else if (character === 0x5b || character === 0x7b) depth++
    else if (character === 0x5d || character === 0x7d) {
      if (--depth > 0) continue
      keep(from, at)
      break
    } else if (character === 0x2c && depth === 1) {
      keep(from, at)
      from = at + 1
    }
  }
  const kind = found.get('t') ?? ''
  const [boot, seq] = [found.get('boot'), Number(found.get('seq'))]
  const hasNone = Object.hasOwn(fromDevice, kind) && !storedKinds.some((each) => each === kind)
  if (hasNone || boot === undefined || !isBoot(boot) || !isPlace(seq)) return undefined
  const command = kind === 'result' ? found.get('id') : undefined
  return { boot, seq, ...(command !== undefined && isId(command) && { command }) }
}

/** Checked before anything walks the text: nested brackets overflow the stack of most parsers. */
function isDeep(text: string): boolean {
  let depth = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (isQuoted) {
      if (character === 0x5c) at++
      else if (character === 0x22) isQuoted = false
    } else if (character === 0x22) isQuoted = true
    else if (character === 0x5b || character === 0x7b) {
      if (++depth > deepestData) return true
    } else if (character === 0x5d || character === 0x7d) depth--
  }
  return false
}
