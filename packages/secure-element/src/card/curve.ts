import { byteAt, toHex } from '../bytes.ts'
import { lengthValue } from './objects.ts'
import { refuse } from './refusal.ts'

const reference = 0xf0
const p256 = '00'

/**
 * The full parameters of P-256 by the type of each component of a key (GlobalPlatform Card
 * Specification 2.3.1, table 11-16; values from FIPS 186-4, D.1.2.3): field, both coefficients,
 * generator, order and cofactor.
 */
const parameters: Record<number, string> = {
  0xb2: 'FFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF',
  0xb3: 'FFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFC',
  0xb4: '5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B',
  0xb5:
    '046B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296' +
    '4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5',
  0xb6: 'FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551',
  0xb7: '01',
}
const mandatory = [0xb2, 0xb3, 0xb4, 0xb5, 0xb6]

/**
 * The end of a key's curve: hosts name the curve by a reference (`F0`) or give all its parameters. A
 * curve other than P-256 is refused with `6A81`, a truncated one with `6A80`.
 */
export function curveEnd(data: Uint8Array, at: number): number {
  if (byteAt(data, at) === reference) {
    const { value, next } = lengthValue(data, at + 1)
    return toHex(value) === p256 ? next : refuse('unsupportedFunction')
  }
  const found = new Set<number>()
  let end = at
  for (let type = byteAt(data, end); parameters[type] !== undefined; type = byteAt(data, end)) {
    const { value, next } = lengthValue(data, end + 1)
    if (toHex(value) !== parameters[type]) return refuse('unsupportedFunction')
    if (found.has(type)) return refuse('wrongData')
    found.add(type)
    end = next
  }
  return mandatory.every((type) => found.has(type)) ? end : refuse('wrongData')
}
