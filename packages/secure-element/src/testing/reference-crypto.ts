import { createCipheriv, createDecipheriv } from 'node:crypto'

/**
 * Cryptography of the second implementation of SCP02 and SCP03: hex strings instead of bytes, CMAC
 * and retail MAC block by block from RFC 4493 and ISO/IEC 9797-1. It shares no code with the first.
 */

export const bytes = (hex: string) => Buffer.from(hex, 'hex')
export const hexOf = (data: Uint8Array) => Buffer.from(data).toString('hex')
export const two = (value: number) => (value & 0xff).toString(16).padStart(2, '0')

export function cipher(name: string, key: string, iv: string | null, data: string, isBack = false) {
  const make = isBack ? createDecipheriv : createCipheriv
  const each = make(name, bytes(key), iv === null ? null : bytes(iv))
  each.setAutoPadding(false)
  return hexOf(Buffer.concat([each.update(bytes(data)), each.final()]))
}

export const aes = (key: string, block: string) =>
  cipher(`aes-${key.length * 4}-ecb`, key, null, block)

export const xor = (left: string, right: string) =>
  (BigInt(`0x${left}`) ^ BigInt(`0x${right}`)).toString(16).padStart(left.length, '0')

export function cmac(key: string, message: string): string {
  const twice = (block: string) => {
    const shifted = BigInt(`0x${block}`) << 1n
    const isOver = shifted >> 128n !== 0n
    return ((shifted & ((1n << 128n) - 1n)) ^ (isOver ? 0x87n : 0n)).toString(16).padStart(32, '0')
  }
  const first = twice(aes(key, '0'.repeat(32)))
  const blocks = message.match(/.{1,32}/g) ?? ['']
  const last = blocks.pop() ?? ''
  const final =
    last.length === 32 ? xor(last, first) : xor(`${last}80`.padEnd(32, '0'), twice(first))
  return [...blocks, final].reduce((state, block) => aes(key, xor(state, block)), '0'.repeat(32))
}

/** SP 800-108 in counter mode, laid out as in Amendment D. */
export function kdf(key: string, constant: string, context: string, bits: number): string {
  const blocks = Math.ceil(bits / 128)
  let made = ''
  for (let counter = 1; counter <= blocks; counter++)
    made += cmac(
      key,
      `${'00'.repeat(11)}${constant}00${bits.toString(16).padStart(4, '0')}${two(counter)}${context}`,
    )
  return made.slice(0, bits / 4)
}

export const pad = (data: string, block: number) => {
  const marked = `${data}80`
  return marked.padEnd(Math.ceil(marked.length / block / 2) * block * 2, '0')
}
export const unpad = (data: string) => data.replace(/80(00)*$/, '')

export const des3 = (key: string) => `${key}${key.slice(0, 16)}`
export const des1 = (key: string) => key.slice(0, 16).repeat(3)
export const des = (key: string, block: string, isBack = false) =>
  cipher('des-ede3', key, null, block, isBack)

/** Single DES over all blocks, then decrypt with the second half and encrypt with the first. */
export function retail(key: string, message: string, iv: string): string {
  const one = des1(key)
  const other = key.slice(16).repeat(3)
  const blocks = pad(message, 8).match(/.{16}/g) ?? []
  const end = blocks.reduce((state, block) => des(one, xor(state, block)), iv)
  return des(one, des(other, end, true))
}

/** Lc: one byte, or three for more than 255 bytes. */
export const lengthOf = (data: string) => {
  const length = data.length / 2
  return length > 255 ? length.toString(16).padStart(6, '0') : two(length)
}
