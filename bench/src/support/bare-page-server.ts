// The baseline of the public link page: a bare Fastify route that sends the same bytes.
import Fastify from 'fastify'
import { readFile } from 'node:fs/promises'

const body = await readFile(process.env['BARE_PAGE'] ?? '')
const app = Fastify()
app.get('/', (_request, reply) =>
  reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-encoding', 'br')
    .send(body),
)
const address = await app.listen({ host: '127.0.0.1', port: 0 })
console.log(`Bare server: ${address}`)

process.once('SIGTERM', () => {
  app.server.closeAllConnections()
  void app.close().then(() => process.exit(0))
})
