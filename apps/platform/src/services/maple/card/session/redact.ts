import { commandLayout } from '@grove/secure-element/apdu'
import { parseTlv } from '@grove/secure-element/tlv'

/** The first byte, and the end (exclusive). */
export type ByteRange = [from: number, to: number]

/** A command with its data zeroed; the lengths stay. */
export function withoutData(command: Uint8Array): { bytes: Uint8Array; range: ByteRange } {
  const range = dataOf(command)
  return { bytes: command.slice().fill(0, ...range), range }
}

const header = 4

/** The lengths of an invalid command are not trusted: everything after its header is data. */
function dataOf(command: Uint8Array): ByteRange {
  try {
    const { dataFrom, dataTo } = commandLayout(command)
    return [dataFrom, dataTo]
  } catch {
    return [Math.min(header, command.length), command.length]
  }
}

const installIns = 0xe6
const deleteIns = 0xe4
/** In P1 of INSTALL: more pieces follow, and the forms with other fields than the others. */
const morePieces = 0x80
const forPersonalization = 0x20
const forLoadAlone = 0x02
const tokenTag = '9E'

/**
 * A command with the token of delegated management zeroed; null for one without. A token
 * authorises its command on every card with the same key, for whoever sends it. Where its place cannot
 * be told, as in a piece of a command, all of the data is zeroed.
 */
export function withoutToken(command: Uint8Array): { bytes: Uint8Array; range: ByteRange } | null {
  const [, ins = 0, p1 = 0] = command
  if (ins === installIns ? p1 === forPersonalization : ins !== deleteIns) return null
  const data = dataOf(command)
  const range = (p1 & morePieces) === 0 ? tokenIn(command, ins, data) : data
  if (range[0] === range[1]) return null
  return { bytes: command.slice().fill(0, ...range), range }
}

/** The same for a piece of a protected command, in which nothing has a place. */
export const withoutTokenPiece = (piece: Uint8Array) =>
  piece[1] === installIns || piece[1] === deleteIns ? withoutData(piece) : null

/** Where the token is; all of the data if that cannot be told. */
function tokenIn(command: Uint8Array, ins: number, data: ByteRange): ByteRange {
  const [from, to] = data
  try {
    if (ins === installIns) {
      // GlobalPlatform Card Specification 2.3.1, 11.5.2.3: the token is the last field.
      const fields = command[2] === forLoadAlone ? 5 : 6
      let at = from
      for (let field = 1; at < to; field++) {
        const { valueFrom, valueTo } = lengthValue(command, at)
        if (valueTo > to || field > fields) return data
        if (field === fields) return valueTo === to ? [valueFrom, valueTo] : data
        at = valueTo
      }
      return [to, to]
    }
    const token = parseTlv(command.slice(from, to)).find(({ tag }) => tag === tokenTag)
    return token ? [from + token.valueFrom, from + token.to] : [to, to]
  } catch {
    return data
  }
}

/** A value with its length before it, in one, two or three bytes. */
function lengthValue(bytes: Uint8Array, at: number): { valueFrom: number; valueTo: number } {
  const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3)
  const [size, length] =
    first < 0x80 ? [1, first] : first === 0x81 ? [2, second] : [3, (second << 8) | third]
  return { valueFrom: at + size, valueTo: at + size + length }
}
