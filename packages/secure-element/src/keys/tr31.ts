import { randomBytes, timingSafeEqual } from 'node:crypto'
import { byteAt, concat, readHex, toHex } from '../bytes.ts'
import { aesBlock, aesKey, isAesKeyLength } from '../crypto/aes.ts'
import { DecodeError } from '../decode-error.ts'
import type { KeyAlgorithm } from './key-check-value.ts'

/** A key block's description of its key (ANSI X9.143, formerly TR-31), two characters or one each. */
export interface KeyBlockHeader {
  /** Such as `D0` (data encryption), `M3` and `M6` (MACs) and `K0` (key encryption). */
  usage: string
  /** `A` for AES, `T` for triple DES. */
  algorithm: string
  /** Such as `B` (encrypts and decrypts) and `C` (makes and verifies MACs). */
  mode: string
  /** The version of the key; `00` for none. */
  version: string
  /** `E`: with a trusted key, `S`: also with others, `N`: not exportable. */
  exportability: string
}

export interface KeyBlockContents {
  header: KeyBlockHeader
  key: Uint8Array
}

const headerLength = 16
const macLength = aesBlock

/** A block's length has four decimal digits. */
export const maxKeyBlockLength = 9999

/** The maximum key length by algorithm: shorter keys are padded to it, which hides their length. */
const longest: Readonly<Record<string, number>> = { A: 32, T: 24 }

/** Distinguishes the two keys of a block in their derivation. */
const purposes = { encryption: 0, mac: 1 } as const

/**
 * A card’s three keys as a block. The standard has no usage for GlobalPlatform keys: these are the
 * nearest, by what the derived session keys do.
 */
export function cardKeyHeader(
  name: 'enc' | 'mac' | 'dek',
  algorithm: KeyAlgorithm,
  version: number,
): KeyBlockHeader {
  const isAes = algorithm === 'AES'
  return {
    usage: { enc: 'D0', mac: isAes ? 'M6' : 'M3', dek: 'K0' }[name],
    algorithm: isAes ? 'A' : 'T',
    mode: name === 'mac' ? 'C' : 'B',
    version: toHex(Uint8Array.of(version)),
    exportability: 'E',
  }
}

/**
 * Wraps a key in a key block of version D, with a block protection key of 16, 24 or 32 bytes:
 * printable text of at most 9,999 characters. The padding is random, and fills the key up to the
 * longest of its algorithm; it is passed only to repeat an example.
 * @throws DecodeError `wrongLength` or `wrongValue`.
 */
export function wrapKeyBlock(
  protection: Uint8Array,
  { header, key }: KeyBlockContents,
  padding: Uint8Array = paddingFor(header, key),
): string {
  const { usage, algorithm, mode, version, exportability } = header
  const data = concat([key.length >> 5, (key.length << 3) & 0xff], key, padding)
  if (key.length === 0 || data.length % aesBlock !== 0)
    throw new DecodeError('wrongLength', 0, { found: `${key.length}` })
  const length = headerLength + (data.length + macLength) * 2
  const fields = `${usage}${algorithm}${mode}${version}${exportability}`
  if (!/^[0-9A-Z]{2}[0-9A-Z][0-9A-Z][0-9A-Za-z]{2}[0-9A-Z]$/.test(fields))
    throw new DecodeError('wrongValue', 5, { found: fields })
  if (length > maxKeyBlockLength)
    throw new DecodeError('tooLong', 0, { expected: `${maxKeyBlockLength}`, found: `${length}` })
  const text = `D${String(length).padStart(4, '0')}${fields}0000`
  const mac = derived(protection, 'mac').mac(ascii(text), data)
  const encrypted = derived(protection, 'encryption').encrypt(data, mac)
  data.fill(0)
  return `${text}${toHex(encrypted)}${toHex(mac)}`
}

/**
 * Opens a key block of version D. Optional blocks are covered by its MAC and otherwise skipped.
 * @throws DecodeError for text that is no such block; `wrongValue` if it was wrapped under another
 *   key, or was changed. The position is a character of the text.
 */
export function unwrapKeyBlock(protection: Uint8Array, block: string): KeyBlockContents {
  const { header, end } = readHeader(block)
  const macAt = block.length - macLength * 2
  const size = macAt - end
  // A truncated block cannot be decrypted; the shortest one contains a length and a key of some bits.
  if (size < aesBlock * 2 || size % (aesBlock * 2) !== 0)
    throw new DecodeError('wrongLength', end, { found: `${size}` })
  const encrypted = hexAt(block, end, macAt)
  const mac = hexAt(block, macAt, block.length)
  const data = derived(protection, 'encryption').decrypt(encrypted, mac)
  const made = derived(protection, 'mac').mac(ascii(block.slice(0, end)), data)
  if (!timingSafeEqual(made, mac)) throw new DecodeError('wrongValue', macAt)
  const bits = (byteAt(data, 0) << 8) | byteAt(data, 1)
  const length = bits >> 3
  if (bits === 0 || bits % 8 !== 0 || length > data.length - 2)
    throw new DecodeError('wrongLength', end, { found: `${bits} bits` })
  const key = data.slice(2, 2 + length)
  data.fill(0)
  return { header, key }
}

/** The header of a block, and the end of its optional blocks. */
function readHeader(block: string): { header: KeyBlockHeader; end: number } {
  if (block.length > maxKeyBlockLength)
    throw new DecodeError('tooLong', 0, { expected: `${maxKeyBlockLength}` })
  if (block.length < headerLength) throw new DecodeError('cutOff', block.length)
  const wrong = block.search(/[^ -~]/)
  if (wrong !== -1) throw new DecodeError('notRecognised', wrong)
  if (block[0] !== 'D')
    throw new DecodeError('notRecognised', 0, { expected: 'D', found: block[0] ?? '' })
  const length = block.slice(1, 5)
  if (!/^\d{4}$/.test(length) || Number(length) !== block.length)
    throw new DecodeError('wrongLength', 1, { expected: `${block.length}`, found: length })
  const count = block.slice(12, 14)
  if (!/^\d{2}$/.test(count)) throw new DecodeError('notRecognised', 12, { found: count })
  return {
    header: {
      usage: block.slice(5, 7),
      algorithm: block.slice(7, 8),
      mode: block.slice(8, 9),
      version: block.slice(9, 11),
      exportability: block.slice(11, 12),
    },
    end: optionalEnd(block, Number(count)),
  }
}

/**
 * The end of the optional blocks: each has an ID of two characters, and its total length in two hex
 * digits, or `00`, the size of the length in two hex digits, and the length.
 */
function optionalEnd(block: string, count: number): number {
  let at = headerLength
  for (let index = 0; index < count; index++) {
    const short = numberAt(block, at + 2, 2)
    const digits = short === 0 ? numberAt(block, at + 4, 2) * 2 : 0
    // More than four digits would exceed the longest block.
    if (short === 0 && (digits === 0 || digits > 4))
      throw new DecodeError('lengthTooLong', at + 4, { found: `${digits}` })
    const least = short === 0 ? 6 + digits : 4
    const length = short === 0 ? numberAt(block, at + 6, digits) : short
    if (length < least) throw new DecodeError('wrongLength', at, { found: `${length}` })
    if (at + length > block.length) throw new DecodeError('cutOff', block.length)
    at += length
  }
  return at
}

function numberAt(block: string, at: number, digits: number): number {
  const text = block.slice(at, at + digits)
  if (text.length < digits) throw new DecodeError('cutOff', block.length)
  if (!/^[0-9A-Fa-f]+$/.test(text)) throw new DecodeError('notHex', at, { found: text })
  return Number.parseInt(text, 16)
}

function hexAt(block: string, from: number, to: number): Uint8Array {
  const text = block.slice(from, to)
  // `readHex` accepts separators, which a block must not contain.
  const wrong = text.search(/[^0-9A-Fa-f]/)
  if (wrong !== -1) throw new DecodeError('notHex', from + wrong, { found: text[wrong] ?? '' })
  return readHex(text)
}

/**
 * The key for a purpose: CMACs with the protection key over a counter, the purpose, the algorithm and
 * the length of the key, repeated until it is long enough (X9.143 for version D; NIST SP 800-108 in
 * counter mode).
 */
function derived(protection: Uint8Array, purpose: keyof typeof purposes) {
  const { length } = protection
  if (!isAesKeyLength(length))
    throw new DecodeError('wrongLength', 0, { expected: '16 / 24 / 32', found: `${length}` })
  const from = aesKey(protection)
  const bits = length * 8
  const part = (counter: number) =>
    from.mac([counter, 0, purposes[purpose], 0, 0, length / 8, bits >> 8, bits & 0xff])
  return aesKey(concat(part(1), length > aesBlock ? part(2) : []).slice(0, length))
}

function paddingFor({ algorithm }: KeyBlockHeader, key: Uint8Array): Uint8Array {
  const shown = 2 + Math.max(key.length, longest[algorithm] ?? 0)
  const whole = Math.ceil(shown / aesBlock) * aesBlock
  return new Uint8Array(randomBytes(whole - 2 - key.length))
}

const ascii = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
