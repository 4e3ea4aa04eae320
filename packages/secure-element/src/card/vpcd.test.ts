import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { readHex, toHex } from '../bytes.ts'
import { softwareCard } from './software-card.ts'
import { answerToReset, connectToVpcd } from './vpcd.ts'

test('the answer to reset has a correct check byte', () => {
  expect(answerToReset.slice(1).reduce((sum, byte) => sum ^ byte, 0)).toBe(0)
})

/** A reader like vpcd: it listens, and the card connects. */
async function reader() {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const connected = once(server, 'connection') as Promise<[Socket]>
  const link = connectToVpcd(softwareCard({ seed: 'reader' }), { host: '127.0.0.1', port })
  const [socket] = await connected
  let received = Buffer.alloc(0)
  socket.on('data', (data: Buffer) => {
    received = Buffer.concat([received, data])
    socket.emit('more')
  })
  // Length and body in separate writes, as vpcd sends them.
  const send = (hex: string) => {
    const body = readHex(hex)
    socket.write(Buffer.of(body.length >> 8, body.length & 0xff))
    socket.write(body)
  }
  const receive = async () => {
    while (received.length < 2 || received.length < 2 + received.readUInt16BE(0))
      await once(socket, 'more')
    const end = 2 + received.readUInt16BE(0)
    const body = toHex(received.subarray(2, end))
    received = received.subarray(end)
    return body
  }
  return { server, socket, send, receive, closed: link.closed }
}

test('a reader powers the card, reads its answer to reset and sends commands', async () => {
  const { server, socket, send, receive, closed } = await reader()
  send('01')
  send('04')
  expect(await receive()).toBe(toHex(answerToReset))
  send('00A4040000')
  expect(await receive()).toMatch(/^6F.*9000$/)
  send('80CA9F7F00')
  send('80CA006600')
  expect(await receive()).toMatch(/^9F7F2A4790.*9000$/)
  expect(await receive()).toMatch(/^66.*9000$/)
  socket.end()
  await closed
  server.close()
})

test('power off and reset end a session', async () => {
  const { server, socket, send, receive, closed } = await reader()
  for (const control of ['00', '01', '02']) {
    send('8050000008010203040506070800')
    expect(await receive()).toMatch(/9000$/)
    send(control)
    // EXTERNAL AUTHENTICATE is no longer expected.
    send(`8482010010${'00'.repeat(16)}`)
    expect(await receive()).toBe('6985')
  }
  socket.end()
  await closed
  server.close()
})
