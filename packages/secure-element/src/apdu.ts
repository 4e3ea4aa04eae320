import { byteAt, concat } from './bytes.ts'
import { DecodeError } from './decode-error.ts'
import { isStatusWord } from './status-word.ts'

/** A command APDU (ISO/IEC 7816-3, 12.1). */
export interface Command {
  cla: number
  ins: number
  p1: number
  p2: number
  data: Uint8Array
  /** Maximum reply length, 1 to 65,536; without it no reply data is expected. */
  le?: number
  /** Forces two-byte lengths. */
  isExtended: boolean
}

/** Where the parts of a command are. */
export interface CommandLayout {
  /** The Lc field, if there is data. */
  lc?: { from: number; to: number }
  dataFrom: number
  dataTo: number
  le?: { from: number; to: number }
}

const header = 4
const shortMost = 256
const extendedMost = 65_536

const wordAt = (bytes: Uint8Array, at: number): number =>
  (byteAt(bytes, at) << 8) | byteAt(bytes, at + 1)

/** Locates Lc, data and Le of a command, in all cases of ISO/IEC 7816-3. */
export function commandLayout(bytes: Uint8Array): CommandLayout {
  const { length } = bytes
  const end = { from: length, to: length }
  if (length < header)
    throw new DecodeError('cutOff', 0, { expected: `${header}`, found: `${length}` })
  if (length === header) return { dataFrom: length, dataTo: length }
  if (length === header + 1)
    return { dataFrom: length, dataTo: length, le: { ...end, from: header } }
  const first = byteAt(bytes, header)
  if (first !== 0) return withData(bytes, { from: header, to: header + 1 }, first, 1)
  if (length < header + 3)
    throw new DecodeError('cutOff', header, { expected: '3', found: `${length - header}` })
  if (length === header + 3)
    return { dataFrom: length, dataTo: length, le: { from: header, to: length } }
  const count = wordAt(bytes, header + 1)
  if (count === 0)
    throw new DecodeError('wrongValue', header + 1, { expected: '0001–FFFF', found: '0000' })
  return withData(bytes, { from: header, to: header + 3 }, count, 2)
}

function withData(
  bytes: Uint8Array,
  lc: { from: number; to: number },
  count: number,
  leSize: number,
): CommandLayout {
  const dataTo = lc.to + count
  const rest = bytes.length - dataTo
  if (rest < 0)
    throw new DecodeError('cutOff', lc.to, {
      expected: `${count}`,
      found: `${bytes.length - lc.to}`,
    })
  if (rest !== 0 && rest !== leSize)
    throw new DecodeError('leftOver', dataTo, { expected: `0 / ${leSize}`, found: `${rest}` })
  const layout = { lc, dataFrom: lc.to, dataTo }
  return rest === 0 ? layout : { ...layout, le: { from: dataTo, to: bytes.length } }
}

/** Reads a command APDU. */
export function parseCommand(bytes: Uint8Array): Command {
  const { lc, dataFrom, dataTo, le } = commandLayout(bytes)
  const isExtended = lc ? lc.to - lc.from === 3 : le !== undefined && le.to - le.from === 3
  return {
    cla: byteAt(bytes, 0),
    ins: byteAt(bytes, 1),
    p1: byteAt(bytes, 2),
    p2: byteAt(bytes, 3),
    data: bytes.slice(dataFrom, dataTo),
    ...(le && { le: expectedLength(bytes, le) }),
    isExtended,
  }
}

/** Reads an Le field: zero means the maximum. */
export function expectedLength(bytes: Uint8Array, { from, to }: { from: number; to: number }) {
  if (to - from === 1) return byteAt(bytes, from) || shortMost
  return wordAt(bytes, to - 2) || extendedMost
}

/** Encodes a command APDU; rejects lengths that its form cannot hold. */
export function encodeCommand({ cla, ins, p1, p2, data, le, isExtended }: Command): Uint8Array {
  for (const [at, byte] of [cla, ins, p1, p2].entries())
    if (!Number.isInteger(byte) || byte < 0 || byte > 0xff)
      throw new DecodeError('wrongValue', at, { expected: '00–FF', found: `${byte}` })
  const maxData = isExtended ? extendedMost - 1 : shortMost - 1
  if (data.length > maxData)
    throw new DecodeError('tooLong', header, { expected: `${maxData}`, found: `${data.length}` })
  const maxLe = isExtended ? extendedMost : shortMost
  if (le !== undefined && (!Number.isInteger(le) || le < 1 || le > maxLe))
    throw new DecodeError('wrongValue', header, { expected: `1–${maxLe}`, found: `${le}` })
  const field = (value: number) =>
    isExtended ? [(value >> 8) & 0xff, value & 0xff] : [value & 0xff]
  const hasData = data.length > 0
  const lc = hasData ? [...(isExtended ? [0] : []), ...field(data.length)] : []
  // Without data, extended Le is preceded by a zero byte.
  const marker = le !== undefined && isExtended && !hasData ? [0] : []
  return concat([cla, ins, p1, p2], lc, data, marker, le === undefined ? [] : field(le))
}

/** A response APDU: data and a status word. */
export interface Response {
  data: Uint8Array
  statusWord: number
}

const maxResponse = extendedMost + 2

/** Reads a response APDU. */
export function parseResponse(bytes: Uint8Array): Response {
  const { length } = bytes
  if (length < 2) throw new DecodeError('cutOff', 0, { expected: '2', found: `${length}` })
  if (length > maxResponse)
    throw new DecodeError('tooLong', maxResponse, {
      expected: `${maxResponse}`,
      found: `${length}`,
    })
  const statusWord = wordAt(bytes, length - 2)
  if (!isStatusWord(statusWord))
    throw new DecodeError('wrongValue', length - 2, {
      expected: '61xx–6Fxx, 9xxx',
      found: statusWord.toString(16).toUpperCase().padStart(4, '0'),
    })
  return { data: bytes.slice(0, length - 2), statusWord }
}

/** Encodes a response APDU. */
export function encodeResponse({ data, statusWord }: Response): Uint8Array {
  if (!isStatusWord(statusWord))
    throw new DecodeError('wrongValue', data.length, {
      expected: '61xx–6Fxx, 9xxx',
      found: statusWord.toString(16).toUpperCase(),
    })
  if (data.length > extendedMost)
    throw new DecodeError('tooLong', extendedMost, {
      expected: `${extendedMost}`,
      found: `${data.length}`,
    })
  return concat(data, [statusWord >> 8, statusWord & 0xff])
}
