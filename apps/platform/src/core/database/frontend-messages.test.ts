import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { frontendMessages } from './frontend-messages.ts'

const message = (type: string, body: Uint8Array) => {
  const head = Buffer.alloc(5, type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
const body = fc.uint8Array({ maxLength: 40 })
const messages = fc.array(fc.tuple(fc.constantFrom('P', 'B', 'D', 'E', 'S', 'Q', 'H'), body), {
  maxLength: 12,
})

test('messages chunked anywhere arrive complete, in order, and only up to one that is answered', () => {
  fc.assert(
    fc.property(messages, fc.array(fc.nat()), (sent, cuts) => {
      const bytes = Buffer.concat(sent.map(([type, content]) => message(type, content)))
      const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length]
      places.sort((a, b) => a - b)
      const cut = frontendMessages()
      const received = places
        .slice(1)
        .map((end, index) => cut([bytes.subarray(places[index], end)]))

      const lastAnswered = sent.findLastIndex(([type]) => 'SQH'.includes(type))
      const expected = sent
        .slice(0, lastAnswered + 1)
        .map(([type, content]) => message(type, content))
      expect(Buffer.concat(received.map((batch) => batch.messages))).toEqual(
        Buffer.concat(expected),
      )
      for (const batch of received) expect(batch.terminated).toBe(false)
    }),
  )
})

test('Terminate ends the stream and nothing after it is read', () => {
  const batch = frontendMessages()([
    Buffer.concat([
      message('S', Buffer.of()),
      message('X', Buffer.of()),
      message('S', Buffer.of()),
    ]),
  ])
  expect(batch).toEqual({ messages: new Uint8Array(message('S', Buffer.of())), terminated: true })
})
