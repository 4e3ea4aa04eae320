import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export interface LineSettings {
  /** Disables the browser's cache: each page is the first. */
  isCold?: boolean
  /** Milliseconds until a response begins. */
  latency?: number
  /** Of all responses together. */
  bytesPerSecond?: number
}

/** A connection to the platform with adjustable speed. */
export async function startLine(
  platform: string,
  { isCold = false, latency = 0, bytesPerSecond }: LineSettings,
) {
  let freeAt = 0
  /** Waits until the connection has transferred this much. */
  const carry = async (bytes: number) => {
    if (bytesPerSecond === undefined) return
    freeAt = Math.max(freeAt, Date.now()) + (bytes / bytesPerSecond) * 1000
    await pause(freeAt - Date.now())
  }
  const pass = async (answer: IncomingMessage, outgoing: ServerResponse) => {
    if (latency > 0) await pause(latency)
    const headers = { ...answer.headers, ...(isCold && { 'cache-control': 'no-store' }) }
    if (isCold) delete headers.etag
    outgoing.writeHead(answer.statusCode ?? 502, headers)
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      await carry(chunk.length)
      outgoing.write(chunk)
    }
    outgoing.end()
  }
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = '/' } = incoming
    const far = request(new URL(url, platform), { method, headers })
    far.on('response', (answer) => {
      pass(answer, outgoing).catch(() => outgoing.destroy())
    })
    far.on('error', () => outgoing.destroy())
    outgoing.on('close', () => far.destroy())
    incoming.pipe(far)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
