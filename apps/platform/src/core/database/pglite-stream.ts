import { Duplex } from 'node:stream'
import { DatabaseLostError } from './unavailable.ts'
import { frontendMessages } from './frontend-messages.ts'
import type { PgliteServer, PgliteSession } from './pglite-server.ts'

/**
 * Replaces the TCP socket of a `pg` client: its writes go to PGlite, PGlite's responses are read
 * back. So both engines share one client, its types, errors and prepared statements.
 */
export function pgliteStream(server: PgliteServer): Duplex {
  const cut = frontendMessages()
  let session: PgliteSession | undefined
  let started = false

  const receive = (chunks: Buffer[]) => {
    let rest = chunks
    if (!started) {
      // The startup packet has no type byte; `pg` sends it whole, alone and first.
      started = true
      rest = chunks.slice(1)
      stream.push(greeting)
    }
    const { messages, terminated } = cut(rest)
    if (messages.length > 0) session?.send(messages)
    if (terminated) stream.destroy()
  }

  const stream = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      receive([chunk])
      done()
    },
    writev(chunks, done) {
      receive(chunks.map(({ chunk }) => chunk as Buffer))
      done()
    },
    final(done) {
      done()
      stream.destroy()
    },
    destroy(error, done) {
      session?.end()
      done(error)
    },
  })

  const open = async () => {
    try {
      session = await server.connect({
        onReply: (bytes) => stream.push(bytes),
        onLost: (error) => stream.destroy(error),
      })
      if (stream.destroyed) session.end()
      else stream.emit('connect')
    } catch (error) {
      stream.destroy(DatabaseLostError.from(error))
    }
  }

  return Object.assign(stream, {
    connect() {
      void open()
      return stream
    },
    setNoDelay: () => stream,
    setKeepAlive: () => stream,
    ref: () => stream,
    unref: () => stream,
  })
}

function message(type: string, ...parts: (string | number)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => {
      if (typeof part === 'string') return Buffer.from(`${part}\0`)
      const int = Buffer.alloc(4)
      int.writeInt32BE(part)
      return int
    }),
  )
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** AuthenticationOk, ParameterStatus, BackendKeyData, ReadyForQuery (idle). */
const greeting = Buffer.concat([
  message('R', 0),
  message('S', 'server_version', '18.0'),
  message('S', 'client_encoding', 'UTF8'),
  message('S', 'TimeZone', 'UTC'),
  message('K', 1, 1),
  Buffer.from([0x5a, 0, 0, 0, 5, 0x49]),
])
