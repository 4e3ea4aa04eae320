import { DecodeError } from './decode-error.ts'

/** The longest extended command APDU (ISO/IEC 7816-4); no message to or from a card is longer. */
export const maxInputLength = 65_544

/** Five characters a byte, as in `0x9F,`, plus room for line breaks. */
const maxTextLength = maxInputLength * 6

const digits = new TextEncoder().encode('0123456789ABCDEF')
const ascii = new TextDecoder()

/** Upper-case hex of bytes, without separators. */
export function toHex(bytes: Uint8Array): string {
  // Appending to a string digit by digit would allocate an object each time.
  const text = new Uint8Array(bytes.length * 2)
  let at = 0
  for (const byte of bytes) {
    text[at++] = byteAt(digits, byte >> 4)
    text[at++] = byteAt(digits, byte & 0x0f)
  }
  return ascii.decode(text)
}

/** The value of a valid digit. */
const digitAt = (hex: string, at: number): number => {
  const code = hex.charCodeAt(at)
  // '0' to '9'; for a letter, the low bits count from 1 in either case.
  return code < 0x40 ? code - 0x30 : (code & 0x0f) + 9
}

/**
 * Parses hex as people paste it: either case, with spaces, line breaks, colons, commas, hyphens and
 * `0x` between the bytes. Throws a `DecodeError` that names the position of the first wrong
 * character.
 */
export function readHex(text: string): Uint8Array {
  if (text.length > maxTextLength)
    throw new DecodeError('tooLong', maxInputLength, { expected: `${maxInputLength}` })
  // Nearly all texts consist of bytes only.
  const isPlain = /^[0-9A-Fa-f]+$/.test(text)
  const hex = isPlain ? text : text.replaceAll(/(?<![0-9A-Fa-f])0[xX]|[\s:,;-]/g, '')
  if (hex === '') throw new DecodeError('empty', 0)
  const wrong = isPlain ? -1 : hex.search(/[^0-9A-Fa-f]/)
  if (wrong !== -1)
    throw new DecodeError('notHex', wrong >> 1, {
      found: String.fromCodePoint(hex.codePointAt(wrong) ?? 0),
    })
  const length = hex.length >> 1
  if (hex.length % 2 === 1) throw new DecodeError('oddDigits', length, { found: `${hex.length}` })
  if (length > maxInputLength)
    throw new DecodeError('tooLong', maxInputLength, {
      expected: `${maxInputLength}`,
      found: `${length}`,
    })
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at++)
    bytes[at] = (digitAt(hex, 2 * at) << 4) | digitAt(hex, 2 * at + 1)
  return bytes
}

/** Concatenates byte arrays and single bytes. */
export function concat(...pieces: (Uint8Array | readonly number[])[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const piece of pieces) {
    all.set(piece, offset)
    offset += piece.length
  }
  return all
}

/** The byte at an offset whose bounds the caller has checked. */
export const byteAt = (bytes: Uint8Array, index: number): number => bytes[index] ?? 0
