import { byteAt } from '../bytes.ts'

/** Appends `80` and zeros up to a whole block (ISO/IEC 9797-1, method 2). */
export function padded(data: Uint8Array, block: number): Uint8Array {
  const all = new Uint8Array((Math.floor(data.length / block) + 1) * block)
  all.set(data)
  all[data.length] = 0x80
  return all
}

/** Removes the padding of `padded`; undefined if it is invalid. */
export function unpadded(data: Uint8Array): Uint8Array | undefined {
  let end = data.length - 1
  while (end > 0 && byteAt(data, end) === 0) end--
  return byteAt(data, end) === 0x80 ? data.slice(0, end) : undefined
}
