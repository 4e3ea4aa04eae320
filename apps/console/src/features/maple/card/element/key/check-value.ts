import type { keyAlgorithms } from '@grove/contract/maple/card/key.rules'
import { readHex, toHex } from '@grove/secure-element/bytes'

type KeyAlgorithm = (typeof keyAlgorithms)[number]

/** A pasted key, without the separators that people put between bytes. */
export const plainKey = (text: string): string =>
  text.replaceAll(/(?<![0-9A-Fa-f])0[xX]|[\s:,;-]/g, '').toUpperCase()

const maxDesKeyLength = 48

/** The hex digits of a complete key for the algorithm, or what is wrong with them. */
export function readKey(
  algorithm: KeyAlgorithm,
  text: string,
): { kind: 'key'; key: string } | { kind: 'notHex' } | { kind: 'length'; digits: number } {
  const key = plainKey(text)
  if (/[^0-9A-F]/.test(key)) return { kind: 'notHex' }
  const lengths = [32, maxDesKeyLength, ...(algorithm === 'AES' ? [64] : [])]
  return lengths.includes(key.length)
    ? { kind: 'key', key }
    : { kind: 'length', digits: key.length }
}

/** Three keys pasted as one text: ENC, MAC and DEK. */
export function readThreeKeys(text: string): [enc: string, mac: string, dek: string] | undefined {
  const found = text.match(/[0-9A-Fa-f]{32,64}/g)?.filter((key) => key.length % 16 === 0) ?? []
  const [enc, mac, dek, more] = found
  return enc !== undefined && mac !== undefined && dek !== undefined && more === undefined
    ? [enc, mac, dek]
    : undefined
}

/**
 * The key check value, computed in the browser: the first three bytes of a block encrypted with the
 * key. Undefined if the browser cannot compute it, as for AES-192; the service then compares it.
 */
export async function checkValueOf(
  algorithm: KeyAlgorithm,
  key: string,
): Promise<string | undefined> {
  const bytes = Uint8Array.from(readHex(key))
  return algorithm === 'AES' ? aesCheckValue(bytes) : desCheckValue(bytes)
}

const length = 3

async function aesCheckValue(bytes: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  try {
    const key = await crypto.subtle.importKey('raw', bytes, 'AES-CBC', false, ['encrypt'])
    const block = await crypto.subtle.encrypt(
      { name: 'AES-CBC', iv: new Uint8Array(16) },
      key,
      new Uint8Array(16).fill(1),
    )
    return toHex(new Uint8Array(block).subarray(0, length))
  } catch {
    return undefined
  }
}

/** Browsers have no triple DES. */
async function desCheckValue(bytes: Uint8Array): Promise<string> {
  const { default: des } = await import('des.js')
  // Two-key triple DES uses the first key again as the third.
  const key = bytes.length === 16 ? [...bytes, ...bytes.subarray(0, 8)] : [...bytes]
  const cipher = des.EDE.create({ type: 'encrypt', key, padding: false })
  return toHex(Uint8Array.from(cipher.update(Array<number>(8).fill(0))).subarray(0, length))
}
