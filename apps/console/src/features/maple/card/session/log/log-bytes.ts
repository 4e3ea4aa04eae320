import type { Exchange } from '@grove/contract/maple/card/session'

/** The bytes of a row: hex, or the number of bytes that were never stored. */
export type Piece = { hex: string } | { hidden: number }

/** Hex with a space between the bytes. */
export const spaced = (hex: string): string => hex.replaceAll(/..(?!$)/g, '$& ')

/** The maximum shown in a row; the rest is in the details. */
const maxDigits = 128

function pieces(hex: string, range: readonly [number, number] | null | undefined): Piece[] {
  if (!range) return [{ hex: spaced(hex.slice(0, maxDigits)) }]
  const [from, to] = range
  const all: Piece[] = [
    { hex: spaced(hex.slice(0, from * 2)) },
    { hidden: to - from },
    { hex: spaced(hex.slice(to * 2)) },
  ]
  return all.filter((piece) => !('hex' in piece) || piece.hex !== '')
}

/** The bytes shown in a row: plain, or as they went over the transport. */
export function rowBytes(
  { command, reply, wrapped, redacted }: Exchange,
  isWrapped: boolean,
): { sent: Piece[] | undefined; received: Piece[] | undefined } {
  const sent = isWrapped ? (wrapped?.command ?? command) : command
  const received = isWrapped ? (wrapped?.reply ?? reply) : reply
  const hidden = isWrapped && wrapped?.command ? redacted?.wrapped : redacted?.command
  return {
    sent: sent === null ? undefined : pieces(sent, hidden),
    received: received === null ? undefined : pieces(received, null),
  }
}
