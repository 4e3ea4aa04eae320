import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { answerPace, sendPaced, type AnswerPace } from './paced-answer.ts'

// More than a connection buffers.
const body = Buffer.alloc(30_000_000, 'x')
const quick: AnswerPace = { ...answerPace, pieceMs: 300 }

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** A connection with a pending response. */
async function asked(pace: AnswerPace): Promise<{ socket: Socket; answer: ServerResponse }> {
  server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
  const [, answer] = (await once(server, 'request')) as [unknown, ServerResponse]
  answer.setHeader('content-length', body.length)
  sendPaced(answer, body, pace)
  return { socket, answer }
}

test('an answer that is being read arrives completely', async () => {
  const { socket, answer } = await asked(quick)
  let bytes = 0
  let tail = ''
  socket.on('data', (data: Buffer) => {
    bytes += data.length
    tail = data.subarray(-1).toString()
  })
  socket.resume()
  await Promise.all([once(socket, 'close'), once(answer, 'close')])
  expect(bytes).toBeGreaterThan(body.length)
  expect([tail, answer.writableFinished]).toEqual(['x', true])
})

test('an answer that nobody reads is aborted', async () => {
  const { answer } = await asked(quick)
  await once(answer, 'close')
  expect(answer.writableFinished).toBe(false)
})

test('one that is read very slowly is aborted, despite some progress', async () => {
  const { socket, answer } = await asked(quick)
  const sips = setInterval(() => socket.read(100), 20)
  await once(answer, 'close')
  clearInterval(sips)
  expect(answer.writableFinished).toBe(false)
})

test('one that takes too long is aborted, despite progress', async () => {
  const { socket, answer } = await asked({ ...answerPace, wholeMs: 500 })
  const reads = setInterval(() => socket.read(answerPace.pieceBytes), 20)
  await once(answer, 'close')
  clearInterval(reads)
  expect(answer.writableFinished).toBe(false)
})
