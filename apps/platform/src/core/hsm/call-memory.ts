import type koffi from 'koffi'

const size = 64 * 1024
const wordBytes = 8

/**
 * Memory outside JavaScript that a module reads and writes. Everything passed in or out is in this
 * one region, which is wiped after each operation.
 */
export function callMemory(library: typeof koffi) {
  const base = library.alloc('uint8_t', size) as bigint
  const buffer = library.view(base, size)
  const bytes = new Uint8Array(buffer)
  const words = new BigUint64Array(buffer)
  let used = 0

  const offsetOf = (address: bigint) => Number(address - base)
  const take = (length: number): bigint => {
    const at = used
    used += Math.max(1, Math.ceil(length / wordBytes)) * wordBytes
    if (used > size) throw new RangeError('an operation needs more memory than it has')
    return base + BigInt(at)
  }
  return {
    take,
    put(data: Uint8Array): bigint {
      const address = take(data.length)
      bytes.set(data, offsetOf(address))
      return address
    },
    /** Consecutive words: CK_ULONG, handles and pointers. */
    putWords(...values: (number | bigint)[]): bigint {
      const address = take(values.length * wordBytes)
      for (const [index, value] of values.entries())
        words[offsetOf(address) / wordBytes + index] = BigInt(value)
      return address
    },
    word: (address: bigint): bigint => words[offsetOf(address) / wordBytes] ?? 0n,
    read: (address: bigint, length: number): Uint8Array =>
      bytes.slice(offsetOf(address), offsetOf(address) + length),
    wipe(): void {
      bytes.fill(0, 0, used)
      used = 0
    },
  }
}
