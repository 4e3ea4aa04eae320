// The baseline of the gateway: a bare `ws` server that keeps connections open.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'

const sockets = new WebSocketServer({
  noServer: true,
  maxPayload: 140_000,
  perMessageDeflate: false,
  clientTracking: false,
})
const server = createServer()
server.on('upgrade', (request, socket, head) =>
  sockets.handleUpgrade(request, socket, head, (opened) => {
    opened.on('message', () => {})
    opened.on('error', () => {})
  }),
)
server.listen(0, '127.0.0.1', () => {
  console.log(`Bare sockets: http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.once('SIGTERM', () => process.exit(0))
