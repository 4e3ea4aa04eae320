import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { generate } from 'mqtt-packet'
import { frameReader, type FrameReader } from './frames.ts'
import { readPacket } from './packets.ts'

const framesOf = (reader: FrameReader, longest = 1e6) => {
  const found: (Buffer | string)[] = []
  for (let next = reader.next(longest); next !== undefined; next = reader.next(longest)) {
    found.push(next)
    if (typeof next === 'string') break
  }
  return found
}

const hexOf = (frame: Buffer | string) =>
  typeof frame === 'string' ? frame : frame.toString('hex')

const message = fc
  .record({ topic: fc.string({ minLength: 1, maxLength: 20 }), size: fc.nat({ max: 3000 }) })
  .map(({ topic, size }) =>
    generate({
      cmd: 'publish',
      topic,
      payload: Buffer.alloc(size, 7),
      qos: 0,
      dup: false,
      retain: false,
    }),
  )

test('packets come out whole and in order, however their bytes arrive', () => {
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1 }),
      (packets, sizes) => {
        const stream = Buffer.concat(packets)
        const reader = frameReader()
        const found: string[] = []
        for (let at = 0, turn = 0; at < stream.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1
          reader.add(stream.subarray(at, at + size))
          at += size
          found.push(...framesOf(reader).map(hexOf))
        }
        expect(found).toEqual(packets.map(hexOf))
      },
    ),
  )
})

test('a packet that announces too much is refused before its bytes arrive', () => {
  const reader = frameReader()
  reader.add(Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]))
  expect(framesOf(reader, 1000)).toEqual(['too long'])
})

test('a length of five bytes is refused', () => {
  const reader = frameReader()
  reader.add(Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 0x01]))
  expect(framesOf(reader)).toEqual(['malformed'])
})

test('any bytes are packets or refused, and never hold up the next packet', () => {
  const ping = Buffer.from([0xc0, 0])
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.nat({ max: 255 }),
      fc.constantFrom<(4 | 5)[]>(4, 5),
      (bytes, head, version) => {
        const body = Buffer.from(bytes)
        const size =
          body.length < 128 ? [body.length] : [(body.length & 0x7f) | 0x80, body.length >> 7]
        readPacket(Buffer.concat([Buffer.from([head, ...size]), body]), version)
        expect(readPacket(ping, version)).toMatchObject({ cmd: 'pingreq' })
      },
    ),
    { numRuns: 3000 },
  )
})
