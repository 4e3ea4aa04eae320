import { sortedBy } from '../../page.rules.ts'
import { deepestState, isDeeperThan, isSame, isState } from '../base/json-state.rules.ts'

export const deviceHandlerSorting = sortedBy(['updatedAt', 'name'], 'updatedAt', 'desc')

export const deviceHandlerVersionSorting = sortedBy(['number'], 'number', 'desc')

/** A draft was never published. */
export const deviceHandlerStates = ['draft', 'active'] as const
export type DeviceHandlerState = (typeof deviceHandlerStates)[number]

export const maxDeviceHandlerNameLength = 80
export const maxDeviceHandlerNoteLength = 500
/** Characters of the code. */
export const maxDeviceHandlerCodeLength = 65_536
/** Handlers of one service provider. */
export const maxDeviceHandlers = 200
/** Golden tests of one handler, and the characters of all of them as JSON. */
export const maxHandlerTests = 100
export const maxHandlerTestsLength = 48_000
export const maxTestNameLength = 80
/** Characters of the error that a test expects a part of. */
export const maxTestErrorLength = 500

/** Bytes of one payload, which a device sends or gets. */
export const maxPayloadLength = 8192
export const payloadHexPattern = String.raw`^([0-9A-Fa-f]{2})*$`
export const maxPort = 65_535
export const maxTopicLength = 128
/** Visible characters of one line. */
export const topicPattern = String.raw`^[!-~]+$`

/** Characters and levels of what `decode` returns, as of the data of a message. */
export const maxDecodedLength = 32_768
export const deepestDecoded = 14

/** A message that waits for its handler, was decoded, or could not be. */
export const decodingStates = ['waiting', 'decoded', 'failed'] as const
export type DecodingState = (typeof decodingStates)[number]

/**
 * The result of `decode`: numbers of `telemetry` become points, `reported` changes the reported
 * state.
 */
export interface Decoded {
  telemetry?: unknown
  reported?: Record<string, unknown>
  /** When it was measured, in milliseconds since 1970. */
  ts?: number
}

/** The result of `encode`, as the device gets it. */
export interface Encoded {
  hex: string
  port?: number
  topic?: string
}

/** The result of a handler's function, or why it cannot be used. */
export type Reading<Value> = { value: Value } | { error: string }

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const unknownKey = (value: object, known: readonly string[]) =>
  Object.keys(value).find((key) => !known.includes(key))

/** Reads what `decode` returned. Nothing at all is right: the message has nothing to store. */
export function readDecoded(value: unknown): Reading<Decoded> {
  if (value === null || value === undefined) return { value: {} }
  if (!isRecord(value)) return { error: 'decode returns an object.' }
  if (typeof value['error'] === 'string') return { error: value['error'] }
  const other = unknownKey(value, ['telemetry', 'reported', 'ts'])
  if (other !== undefined)
    return { error: `decode returns telemetry, reported, ts or error, and not ${cut(other)}.` }
  const { telemetry, reported, ts } = value
  if (JSON.stringify(value).length > maxDecodedLength)
    return { error: `What decode returns has at most ${maxDecodedLength} characters as JSON.` }
  if (isDeeperThan(deepestDecoded, value))
    return { error: `What decode returns has at most ${deepestDecoded} levels.` }
  if (telemetry !== undefined && !isRecord(telemetry) && typeof telemetry !== 'number')
    return { error: 'telemetry is an object or a number.' }
  if (reported !== undefined && (!isState(reported) || isDeeperThan(deepestState, reported)))
    return { error: `reported is an object of at most ${deepestState} levels.` }
  if (ts !== undefined && !isTime(ts)) return { error: 'ts is in milliseconds since 1970.' }
  return {
    value: {
      ...(telemetry !== undefined && { telemetry }),
      ...(reported !== undefined && { reported }),
      ...(ts !== undefined && { ts }),
    },
  }
}

/** Up to the year 9999. */
const isTime = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= 253_402_300_799_999

/** Parses the result of `encode`; null for a command that is sent unchanged. */
export function readEncoded(value: unknown): Reading<Encoded | null> {
  if (value === null || value === undefined) return { value: null }
  if (!isRecord(value)) return { error: 'encode returns an object with bytes, or nothing.' }
  if (typeof value['error'] === 'string') return { error: value['error'] }
  const other = unknownKey(value, ['bytes', 'hex', 'port', 'topic'])
  if (other !== undefined)
    return { error: `encode returns bytes or hex, port, topic or error, and not ${cut(other)}.` }
  const { bytes, port, topic } = value
  const hex = bytes === undefined ? value['hex'] : hexOf(bytes)
  if (typeof hex !== 'string' || !new RegExp(payloadHexPattern).test(hex))
    return { error: 'bytes are numbers from 0 to 255, or hex is text of two digits a byte.' }
  if (hex.length > 2 * maxPayloadLength)
    return { error: `A payload has at most ${maxPayloadLength} bytes.` }
  if (port !== undefined && !isPort(port))
    return { error: `port is a whole number from 0 to ${maxPort}.` }
  if (topic !== undefined && !isTopic(topic))
    return { error: `topic is text of at most ${maxTopicLength} visible characters.` }
  return {
    value: {
      hex: hex.toUpperCase(),
      ...(port !== undefined && { port }),
      ...(topic !== undefined && { topic }),
    },
  }
}

function hexOf(bytes: unknown): string | undefined {
  if (!Array.isArray(bytes) || bytes.length > maxPayloadLength + 1) return undefined
  if (!bytes.every((each) => Number.isInteger(each) && each >= 0 && each <= 255)) return undefined
  return bytes.map((each: number) => each.toString(16).padStart(2, '0')).join('')
}

const isPort = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= maxPort
const isTopic = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length <= maxTopicLength &&
  new RegExp(topicPattern).test(value)

const cut = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text)

/** The expectation of a golden test: this value, or a failure whose message contains this text. */
export type Expected = { value: unknown } | { error: string }

/** Whether a result is the one that a golden test expects. */
export function isExpected(
  expected: Expected,
  result: { value: unknown } | { error: { message: string } },
): boolean {
  if ('error' in expected) return 'error' in result && result.error.message.includes(expected.error)
  return 'value' in result && isSame(expected.value, result.value)
}
