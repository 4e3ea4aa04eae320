import { createServer, request, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

export interface StreamProxy {
  url: string
  /** Writes to every reader of a stream. */
  write: (text: string) => void
  /** Resolves when a reader connects. */
  watched: Promise<void>
  close: () => Promise<void>
}

/**
 * A proxy in front of the platform that answers one path itself, with a stream that the benchmark
 * writes: the page's cost is measured without the platform's.
 */
export async function startStreamProxy(target: string, isStream: RegExp): Promise<StreamProxy> {
  const readers = new Set<ServerResponse>()
  let resolve = () => {}
  const watched = new Promise<void>((done) => (resolve = done))
  const server = createServer((incoming, answer) => {
    if (isStream.test(incoming.url ?? '')) {
      answer.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      answer.write(': watching\n\n')
      readers.add(answer)
      answer.once('close', () => readers.delete(answer))
      return resolve()
    }
    const { method, headers } = incoming
    const outgoing = request(
      new URL(incoming.url ?? '/', target),
      { method, headers: { ...headers, host: new URL(target).host } },
      (reply) => {
        answer.writeHead(reply.statusCode ?? 502, reply.headers)
        reply.pipe(answer)
      },
    )
    outgoing.once('error', () => answer.destroy())
    incoming.pipe(outgoing)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    write: (text) => {
      for (const reader of readers) reader.write(text)
    },
    watched,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
