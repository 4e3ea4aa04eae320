import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { closeQueuedAnswers } from './queued-answers.ts'

const body = Buffer.alloc(9_000_000)

test('every queued response of a closed connection is closed, once', async () => {
  const server = createServer()
  let asked = 0
  const closed: number[] = []
  closeQueuedAnswers(server)
  server.on('request', (_request, answer) => {
    const number = asked++
    answer.on('close', () => closed.push(number))
    answer.setHeader('content-length', body.length)
    answer.end(body)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(10))
  await expect.poll(() => asked).toBe(10)
  socket.destroy()
  await expect.poll(() => closed.length).toBe(10)
  server.close()
  await once(server, 'close')
  expect(closed.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
})
