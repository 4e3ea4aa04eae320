const none = Buffer.alloc(0)
/** Chunks kept separately; beyond it they are merged, so that single bytes cost no more. */
const maxChunks = 64

/** The stream does not start with a valid packet, or it is too long. */
export type BadFrame = 'malformed' | 'too long'

/**
 * Splits a stream into MQTT packets. A packet is refused by its announced length, before its bytes
 * are buffered. Without an incomplete packet, nothing is buffered.
 */
export function frameReader() {
  let chunks: Buffer[] = []
  let held = 0

  const whole = (): Buffer => {
    const [first = none] = chunks
    if (chunks.length === 1) return first
    const joined = Buffer.concat(chunks)
    chunks = [joined]
    return joined
  }
  return {
    add(chunk: Buffer) {
      chunks.push(chunk)
      held += chunk.length
      if (chunks.length > maxChunks) whole()
    },
    /** The next packet; undefined until it is complete. */
    next(longest: number): Buffer | BadFrame | undefined {
      if (held < 2) return undefined
      let head = chunks[0] ?? none
      // The first byte and up to four length bytes.
      if (head.length < Math.min(held, 5)) head = whole()
      if (!isHead(head[0] ?? 0)) return 'malformed'
      const length = lengthOf(head)
      if (typeof length !== 'object') return length
      const size = length.at + length.value
      if (size > longest) return 'too long'
      if (held < size) return undefined
      const all = whole()
      held -= size
      chunks = held === 0 ? [] : [all.subarray(size)]
      return all.subarray(0, size)
    },
  }
}

export type FrameReader = ReturnType<typeof frameReader>

/** A kind with the flags that it may have (2.1.3): what speaks something else mostly fails here. */
function isHead(byte: number): boolean {
  const [kind, flags] = [byte >> 4, byte & 15]
  // PUBLISH has QoS in two of its flags, which are not both set.
  if (kind === 3) return (flags & 6) !== 6
  return kind > 0 && flags === ([6, 8, 10].includes(kind) ? 2 : 0)
}

/** Reads the variable byte integer after the first byte. */
function lengthOf(bytes: Buffer): { value: number; at: number } | 'malformed' | undefined {
  let value = 0
  for (let at = 1; at <= 4; at++) {
    const byte = bytes[at]
    if (byte === undefined) return undefined
    value += (byte & 0x7f) * 128 ** (at - 1)
    if (byte < 0x80) return { value, at: at + 1 }
  }
  return 'malformed'
}
