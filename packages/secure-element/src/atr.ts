import { DecodeError } from './decode-error.ts'

/** An answer to reset (ISO/IEC 7816-3, clause 8). */
export interface Atr {
  /** The bit convention. */
  convention: 'direct' | 'inverse'
  /** The transmission protocols offered, such as 0 and 1, preferred first. */
  protocols: number[]
  /** The historical bytes. */
  historical: Uint8Array
  /** Whether the check byte TCK is correct; undefined if there is none, which is so for T=0 only. */
  isCheckRight: boolean | undefined
}

const conventions: Record<number, Atr['convention']> = { 0x3b: 'direct', 0x3f: 'inverse' }

/**
 * Reads an answer to reset.
 * @throws DecodeError `wrongValue` for an unknown initial byte, `cutOff`, `leftOver`.
 * @example readAtr(readHex('3BF81300008131FE454A434F5076323431B7')).protocols // [1]
 */
export function readAtr(bytes: Uint8Array): Atr {
  let at = 0
  const next = (): number => {
    const byte = bytes[at]
    if (byte === undefined)
      throw new DecodeError('cutOff', at, { expected: `${at + 1}`, found: `${bytes.length}` })
    at += 1
    return byte
  }
  const initial = next()
  const convention = conventions[initial]
  if (!convention)
    throw new DecodeError('wrongValue', 0, { expected: '3B or 3F', found: initial.toString(16) })
  const format = next()
  const protocols: number[] = []
  // The upper nibble says which of TA, TB, TC and TD follow; TD says it for the next group.
  for (let present = format >> 4; present !== 0;) {
    for (const interfaceByte of [1, 2, 4]) if (present & interfaceByte) next()
    const more = present & 8 ? next() : 0
    if (present & 8) protocols.push(more & 0x0f)
    present = more >> 4
  }
  // T=15 qualifies global interface bytes and is not a protocol.
  const offered = [...new Set(protocols.filter((protocol) => protocol !== 15))]
  const length = format & 0x0f
  const historical = bytes.slice(at, at + length)
  for (let left = length; left > 0; left -= 1) next()
  const isCheckDue = protocols.some((protocol) => protocol !== 0)
  if (isCheckDue) next()
  if (at < bytes.length) throw new DecodeError('leftOver', at, { found: `${bytes.length - at}` })
  return {
    convention,
    protocols: offered.length > 0 ? offered : [0],
    historical,
    isCheckRight: isCheckDue
      ? bytes.slice(1).reduce((sum, byte) => sum ^ byte, 0) === 0
      : undefined,
  }
}
