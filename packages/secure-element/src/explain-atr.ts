import { readAtr } from './atr.ts'
import { byteAt } from './bytes.ts'
import { named, number, part, term, type Part } from './part.ts'

/** Explains an answer to reset, byte by byte (ISO/IEC 7816-3, clause 8). Throws like `readAtr`. */
export function explainAtr(bytes: Uint8Array): Part[] {
  const { convention, historical, isCheckRight } = readAtr(bytes)
  const parts = [
    part(bytes, 'atrInitial', 0, 1, term(`atr.${convention}`)),
    part(bytes, 'atrFormat', 1, 2, number(historical.length)),
  ]
  let at = 2
  for (let group = 1, present = byteAt(bytes, 1) >> 4; present !== 0; group++) {
    for (const [bit, letter] of [
      [1, 'A'],
      [2, 'B'],
      [4, 'C'],
    ] as const)
      if (present & bit) {
        parts.push(part(bytes, 'atrInterface', at, at + 1, named(`T${letter}${group}`)))
        at++
      }
    const more = present & 8 ? byteAt(bytes, at) : 0
    if (present & 8) {
      const protocol = `TD${group}: T=${more & 0x0f}`
      parts.push(part(bytes, 'atrInterface', at, at + 1, named(protocol)))
      at++
    }
    present = more >> 4
  }
  if (historical.length > 0)
    parts.push(part(bytes, 'historicalBytes', at, at + historical.length, textOf(historical)))
  at += historical.length
  if (isCheckRight !== undefined)
    parts.push(
      part(
        bytes,
        'checkByte',
        at,
        at + 1,
        term(isCheckRight ? 'atr.checkRight' : 'atr.checkWrong'),
      ),
    )
  return parts
}

/** Many cards put their name there. */
const textOf = (bytes: Uint8Array) =>
  bytes.every((byte) => byte >= 0x20 && byte < 0x7f) ? named(String.fromCharCode(...bytes)) : {}
