import Fastify, { type FastifyInstance } from 'fastify'
import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { limitSlowSenders } from './slow-senders.ts'

const apps: FastifyInstance[] = []
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()))
})

async function listening(limits: { jsonMs?: number; maxOfAddress?: number }) {
  const app = Fastify()
  apps.push(app)
  limitSlowSenders(app, { trustsProxy: false, ...limits })
  app.post('/', async () => ({ done: true }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  return async () => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    await once(socket, 'connect')
    return socket
  }
}

const head = (bytes: number) =>
  `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`

test('a JSON body that trickles in is cut off, and one that arrives in time is answered', async () => {
  const open = await listening({ jsonMs: 100 })
  const slow = await open()
  slow.write(`${head(100)}{"a":`)
  slow.resume()
  await once(slow, 'close')
  const quick = await open()
  quick.write(`${head(2)}{}`)
  const [answer] = (await once(quick, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /)
  quick.destroy()
})

test('an address has a limited number of connections; closing one makes room', async () => {
  const open = await listening({ maxOfAddress: 3 })
  const sockets: Socket[] = []
  for (let n = 0; n < 3; n += 1) sockets.push(await open())
  const answer = async (socket: Socket) => {
    socket.write(`${head(2)}{}`)
    const [data] = (await once(socket, 'data')) as [Buffer]
    return data.toString()
  }
  for (const socket of sockets) expect(await answer(socket)).toMatch(/^HTTP\/1\.1 200 /)
  // It gets a response with a retry delay, and is closed.
  const refused = await open()
  expect(await answer(refused)).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: \d/)
  await once(refused, 'close')
  const [first] = sockets
  first?.destroy()
  // The server notices a moment later.
  await expect.poll(async () => answer(await open())).toMatch(/^HTTP\/1\.1 200 /)
  for (const socket of sockets) socket.destroy()
})
