import { byteAt } from './bytes.ts'
import { DecodeError } from './decode-error.ts'
import { part, term, type Part } from './part.ts'

type Source = 'ISO/IEC 7816-4' | 'GlobalPlatform 2.3.1' | 'ETSI TS 102 221'
export type StatusKind = 'success' | 'warning' | 'error'

/**
 * Status words: value, mask, name, source. The first matching row wins. The bits outside the mask are
 * a number: bytes available, tries left, or the correct length.
 */
const rows = [
  [0x9000, 0xffff, 'success', 'ISO/IEC 7816-4'],
  [0x6100, 0xff00, 'moreBytes', 'ISO/IEC 7816-4'],
  [0x6200, 0xffff, 'warningUnchanged', 'ISO/IEC 7816-4'],
  [0x6281, 0xffff, 'dataMayBeCorrupted', 'ISO/IEC 7816-4'],
  [0x6282, 0xffff, 'endReached', 'ISO/IEC 7816-4'],
  [0x6283, 0xffff, 'cardLocked', 'GlobalPlatform 2.3.1'],
  [0x6300, 0xffff, 'hostCryptogramFailed', 'GlobalPlatform 2.3.1'],
  [0x6310, 0xffff, 'moreData', 'GlobalPlatform 2.3.1'],
  [0x63c0, 0xfff0, 'triesLeft', 'ISO/IEC 7816-4'],
  [0x6400, 0xffff, 'noDiagnosis', 'GlobalPlatform 2.3.1'],
  [0x6438, 0xffff, 'importedPackageMissing', 'GlobalPlatform 2.3.1'],
  [0x6581, 0xffff, 'memoryFailure', 'GlobalPlatform 2.3.1'],
  [0x6700, 0xffff, 'wrongLength', 'GlobalPlatform 2.3.1'],
  [0x6881, 0xffff, 'channelNotSupported', 'GlobalPlatform 2.3.1'],
  [0x6882, 0xffff, 'secureMessagingNotSupported', 'GlobalPlatform 2.3.1'],
  [0x6982, 0xffff, 'securityStatus', 'GlobalPlatform 2.3.1'],
  [0x6983, 0xffff, 'authenticationBlocked', 'ISO/IEC 7816-4'],
  [0x6985, 0xffff, 'conditionsNotMet', 'GlobalPlatform 2.3.1'],
  [0x6988, 0xffff, 'wrongMac', 'ISO/IEC 7816-4'],
  [0x6999, 0xffff, 'selectFailed', 'GlobalPlatform 2.3.1'],
  [0x6a80, 0xffff, 'wrongData', 'GlobalPlatform 2.3.1'],
  [0x6a81, 0xffff, 'notSupported', 'GlobalPlatform 2.3.1'],
  [0x6a82, 0xffff, 'notFound', 'GlobalPlatform 2.3.1'],
  [0x6a84, 0xffff, 'noSpace', 'GlobalPlatform 2.3.1'],
  [0x6a86, 0xffff, 'wrongParameters', 'GlobalPlatform 2.3.1'],
  [0x6a87, 0xffff, 'lengthAgainstParameters', 'ISO/IEC 7816-4'],
  [0x6a88, 0xffff, 'referenceNotFound', 'GlobalPlatform 2.3.1'],
  [0x6b00, 0xffff, 'wrongParameters', 'ISO/IEC 7816-4'],
  [0x6c00, 0xff00, 'wrongExpectedLength', 'ISO/IEC 7816-4'],
  [0x6d00, 0xffff, 'unknownInstruction', 'GlobalPlatform 2.3.1'],
  [0x6e00, 0xffff, 'unknownClass', 'GlobalPlatform 2.3.1'],
  [0x6f00, 0xffff, 'internalError', 'ISO/IEC 7816-4'],
  [0x9100, 0xff00, 'commandWaiting', 'ETSI TS 102 221'],
  // The second byte of these is specific to the card.
  [0x6200, 0xff00, 'warningUnchanged', 'ISO/IEC 7816-4'],
  [0x6300, 0xff00, 'warningChanged', 'ISO/IEC 7816-4'],
  [0x6400, 0xff00, 'executionErrorUnchanged', 'ISO/IEC 7816-4'],
  [0x6500, 0xff00, 'executionErrorChanged', 'ISO/IEC 7816-4'],
  [0x6600, 0xff00, 'securityIssue', 'ISO/IEC 7816-4'],
  [0x6800, 0xff00, 'classFunctionNotSupported', 'ISO/IEC 7816-4'],
  [0x6900, 0xff00, 'commandNotAllowed', 'ISO/IEC 7816-4'],
  [0x6a00, 0xff00, 'wrongParameters', 'ISO/IEC 7816-4'],
  [0x6f00, 0xff00, 'internalError', 'ISO/IEC 7816-4'],
] as const satisfies readonly (readonly [number, number, string, Source])[]

export type StatusName = (typeof rows)[number][2] | 'unknown'

export interface StatusWord {
  /** Four hex digits. */
  code: string
  name: StatusName
  kind: StatusKind
  /** The number in a word such as `61xx` or `63Cx`. */
  value?: number
  source?: Source
}

const kindOf = (word: number): StatusKind => {
  const first = word >> 8
  if (word === 0x9000 || first === 0x61 || first === 0x91) return 'success'
  return first === 0x62 || first === 0x63 ? 'warning' : 'error'
}

/** Names with a number in the bits outside their mask. */
const withValue = new Set<StatusName>(['moreBytes', 'triesLeft', 'wrongExpectedLength'])

/** The meaning of a status word, and the specification that defines it. */
export function statusWord(word: number): StatusWord {
  const code = word.toString(16).toUpperCase().padStart(4, '0')
  const row = rows.find(([value, mask]) => (word & mask) === value)
  if (!row) return { code, name: 'unknown', kind: kindOf(word) }
  const [, mask, name, source] = row
  const rest = word & ~mask & 0xffff
  // In 6100 and 6C00, 00 means 256 bytes.
  const value = rest === 0 && mask === 0xff00 ? 256 : rest
  return { code, name, kind: kindOf(word), source, ...(withValue.has(name) && { value }) }
}

/** Whether two bytes can be a status word: 6xxx without 60xx, or 9xxx (ISO/IEC 7816-3). */
export const isStatusWord = (word: number): boolean =>
  (word >= 0x6100 && word <= 0x6fff) || (word >= 0x9000 && word <= 0x9fff)

export function explainStatusWord(bytes: Uint8Array, from = 0, to = bytes.length): Part[] {
  if (to - from !== 2)
    throw new DecodeError('wrongLength', from, { expected: '2', found: `${to - from}` })
  const word = (byteAt(bytes, from) << 8) | byteAt(bytes, from + 1)
  if (!isStatusWord(word))
    throw new DecodeError('wrongValue', from, {
      expected: '61xx–6Fxx, 9xxx',
      found: word.toString(16).toUpperCase().padStart(4, '0'),
    })
  const { name, value } = statusWord(word)
  return [part(bytes, 'statusWord', from, to, term(`status.${name}`, value))]
}
