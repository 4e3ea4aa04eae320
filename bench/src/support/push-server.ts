// The target of notifications: a server that speaks FCM as fast as it can and ignores the contents.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const json = { 'content-type': 'application/json' }
const token = JSON.stringify({ access_token: 'token', expires_in: 3599, token_type: 'Bearer' })
const name = JSON.stringify({ name: 'projects/bench/messages/1' })

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    response.writeHead(200, json).end(request.url === '/token' ? token : name)
  })
})
server.listen(0, '127.0.0.1', () =>
  console.log(`Push server: http://127.0.0.1:${(server.address() as AddressInfo).port}`),
)
process.once('SIGTERM', () => {
  server.closeAllConnections()
  server.close(() => process.exit(0))
})
