import { DecodeError } from './decode-error.ts'

/** The longest extended command APDU (ISO/IEC 7816-4); no message to or from a card is longer. */
export const maxInputLength = 65_544

/** Five characters a byte, as in `0x9F,`, plus room for line breaks. */
const maxTextLength = maxInputLength * 6

const digits = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).toUpperCase().padStart(2, '0'),
)

/** Upper-case hex of bytes, without separators. */
export function toHex(bytes: Uint8Array): string {
  // Appending to a string byte by byte would allocate an object per byte.
  const pairs: (string | undefined)[] = []
  for (const byte of bytes) pairs.push(digits[byte])
  return pairs.join('')
}

/**
 * Parses hex as people paste it: either case, with spaces, line breaks, colons, commas, hyphens and
 * `0x` between the bytes. Throws a `DecodeError` that names the position of the first wrong
 * character.
 */
export function readHex(text: string): Uint8Array {
  if (text.length > maxTextLength)
    throw new DecodeError('tooLong', maxInputLength, { expected: `${maxInputLength}` })
  const hex = text.replaceAll(/(?<![0-9A-Fa-f])0[xX]|[\s:,;-]/g, '')
  if (hex === '') throw new DecodeError('empty', 0)
  const wrong = hex.search(/[^0-9A-Fa-f]/)
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
  return Uint8Array.from({ length }, (_, index) =>
    Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16),
  )
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
