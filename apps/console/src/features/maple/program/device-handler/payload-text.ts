import { maxPayloadLength } from '@grove/contract/maple/program/device-handler.rules'

const hex = /^[0-9a-f]*$/i
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(==)?|[A-Za-z0-9+/]{3}=?)?$/

/** The hex digits of a payload pasted as hex or base64; undefined if it is neither. */
export function hexOf(text: string): string | undefined {
  const digits = text.replaceAll(/0x|[\s:,-]/gi, '')
  // A half-typed byte is not base64 either.
  if (hex.test(digits)) return digits.length % 2 === 0 ? fits(digits.toUpperCase()) : undefined
  const packed = text.replaceAll(/\s/g, '')
  return base64.test(packed) ? fits(hexOfBase64(packed)) : undefined
}

export const hexOfBase64 = (text: string): string =>
  Array.from(atob(text), (byte) => (byte.codePointAt(0) ?? 0).toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase()

const fits = (digits: string) => (digits.length <= 2 * maxPayloadLength ? digits : undefined)

/** Pairs of digits, the way people read bytes. */
export const spacedHex = (digits: string): string => digits.replaceAll(/..(?=.)/g, '$& ')
