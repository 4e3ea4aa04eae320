import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test as base } from './own-platform.ts'

/** A third-party server that cloud handlers call. */
export interface Receiver {
  port: number
  requests: { headers: IncomingHttpHeaders; body: string }[]
  /** Its response. */
  status: number
}

interface Place {
  receiver: Receiver
  platformEnv: Record<string, string>
}

/**
 * The tests of one worker share a platform whose handlers can reach only the receiver on this
 * machine.
 */
export const test = base.extend<object, Place>({
  receiver: [
    // oxlint-disable-next-line no-empty-pattern -- the runner reads a fixture's needs from its pattern
    async ({}, use) => {
      const receiver: Receiver = { port: 0, requests: [], status: 200 }
      const server = createServer((request, response) => {
        let body = ''
        request.setEncoding('utf8').on('data', (part: string) => (body += part))
        request.on('end', () => {
          receiver.requests.push({ headers: request.headers, body })
          response.writeHead(receiver.status).end()
        })
      })
      await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
      receiver.port = (server.address() as AddressInfo).port
      await use(receiver)
      server.closeAllConnections()
      await new Promise((resolve) => void server.close(resolve))
    },
    { scope: 'worker' },
  ],
  platformEnv: [
    async ({ receiver }, use) => use({ GROVE_EGRESS_ALLOW: `127.0.0.1:${receiver.port}` }),
    { scope: 'worker' },
  ],
})
