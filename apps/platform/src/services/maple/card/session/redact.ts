import { commandLayout } from '@grove/secure-element/apdu'
import { parseTlv, readLength } from '@grove/secure-element/tlv'

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
/** P1 of INSTALL: whether more pieces follow, and the forms with different fields. */
const morePieces = 0x80
const forPersonalization = 0x20
const forLoadAlone = 0x02
const tokenTag = '9E'

/**
 * A command with its delegated management token zeroed; null if it has none. A token authorises its
 * command on every card with the same key, whoever sends it. If its position is unknown, as in a
 * piece of a command, all data is zeroed.
 */
export function withoutToken(command: Uint8Array): { bytes: Uint8Array; range: ByteRange } | null {
  const { 1: ins = 0, 2: p1 = 0 } = command
  if (ins === installIns ? p1 === forPersonalization : ins !== deleteIns) return null
  const data = dataOf(command)
  const range = (p1 & morePieces) === 0 ? tokenIn(command, ins, data) : data
  if (range[0] === range[1]) return null
  return { bytes: command.slice().fill(0, ...range), range }
}

/** The same for a piece of a protected command, in which a token's position is unknown. */
export const withoutTokenPiece = (piece: Uint8Array) =>
  piece[1] === installIns || piece[1] === deleteIns ? withoutData(piece) : null

/** The position of the token; all of the data if it is unknown. */
function tokenIn(command: Uint8Array, ins: number, data: ByteRange): ByteRange {
  const [from, to] = data
  try {
    if (ins === installIns) {
      // GlobalPlatform Card Specification 2.3.1, 11.5.2.3: the token is the last field.
      const fields = command[2] === forLoadAlone ? 5 : 6
      let at = from
      for (let field = 1; at < to; field++) {
        const { length, next } = readLength(command, at, to)
        at = next + length
        if (at > to || (field === fields && at < to)) return data
        if (field === fields) return [next, at]
      }
      return [to, to]
    }
    const token = parseTlv(command.slice(from, to)).find(({ tag }) => tag === tokenTag)
    return token ? [from + token.valueFrom, from + token.to] : [to, to]
  } catch {
    return data
  }
}
