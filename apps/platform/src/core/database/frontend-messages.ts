/**
 * Splits a client's writes into complete messages of the PostgreSQL frontend protocol and passes them
 * on in batches that expect a response, because PGlite must never see a partial message.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
const answered = new Set(Buffer.from('QSHFcf'))
const terminate = 'X'.charCodeAt(0)

export interface FrontendBatch {
  /** Complete messages ending with one that the server answers, or empty. */
  messages: Uint8Array<ArrayBuffer>
  terminated: boolean
}

export function frontendMessages(): (chunks: Buffer[]) => FrontendBatch {
  let pending: Buffer = Buffer.alloc(0)

  return (chunks) => {
    const input = pending.length === 0 && chunks.length === 1 && chunks[0]
    const bytes = input || Buffer.concat([pending, ...chunks])
    let end = 0
    let at = 0
    let terminated = false
    while (!terminated && at + 5 <= bytes.length) {
      const next = at + 1 + bytes.readInt32BE(at + 1)
      if (next > bytes.length) break
      terminated = bytes[at] === terminate
      if (answered.has(bytes[at] ?? 0)) end = next
      at = next
    }
    // Copies: the caller transfers the batch to the worker, and a client may reuse its buffer.
    const messages = new Uint8Array(bytes.subarray(0, end))
    pending = Buffer.from(bytes.subarray(end))
    return { messages, terminated }
  }
}

/** A simple query message. */
export function simpleQuery(text: string): Buffer {
  const body = Buffer.from(`${text}\0`)
  const head = Buffer.alloc(5, 'Q')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
