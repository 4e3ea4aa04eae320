import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeCommand, encodeResponse, parseCommand, parseResponse } from './apdu.ts'
import { readHex, toHex } from './bytes.ts'
import { isStatusWord } from './status-word.ts'

const data = '112233'
const longData = '00'.repeat(256)

// The cases of ISO/IEC 7816-3, 12.1.3, in the short and the extended form.
test.each([
  ['1', '00A40400', { ins: 0xa4, isExtended: false }, '', undefined],
  ['2 short', '00A4040000', { isExtended: false }, '', 256],
  ['2 short', '00C000000F', { ins: 0xc0 }, '', 15],
  ['3 short', `80E4000003${data}`, { cla: 0x80 }, data, undefined],
  ['4 short', `80E4000003${data}10`, {}, data, 16],
  ['2 extended', '00B00000000100', { isExtended: true }, '', 256],
  ['2 extended', '00B00000000000', { isExtended: true }, '', 65_536],
  ['3 extended', `80E20000000100${longData}`, { isExtended: true }, longData, undefined],
  ['4 extended', `80E20000000100${longData}0000`, { isExtended: true }, longData, 65_536],
  ['4 extended', `80E20000000003${data}0010`, { isExtended: true }, data, 16],
])('reads case %s: %s', (_, hex, fields, content, le) => {
  const command = parseCommand(readHex(hex))
  expect(command).toMatchObject(fields)
  expect(toHex(command.data)).toBe(content)
  expect(command.le).toBe(le)
  expect(toHex(encodeCommand(command))).toBe(hex)
})

test.each([
  ['00A404', 'cutOff', 0],
  ['00A4040003AABB', 'cutOff', 5],
  ['00A4040003AABBCC00FF', 'leftOver', 8],
  ['00A40400000A', 'cutOff', 4],
  ['00A40400000000AA', 'wrongValue', 5],
  ['00A40400000003AABB', 'cutOff', 7],
  ['00A40400000002AABB00', 'leftOver', 9],
])('refuses %s: %s at byte %i', (hex, code, at) => {
  expect(() => parseCommand(readHex(hex))).toThrow(expect.objectContaining({ code, at }))
})

const byte = fc.integer({ min: 0, max: 255 })
const command = fc.boolean().chain((isExtended) =>
  fc.record(
    {
      cla: byte,
      ins: byte,
      p1: byte,
      p2: byte,
      data: fc.uint8Array({ maxLength: isExtended ? 600 : 255 }),
      le: fc.integer({ min: 1, max: isExtended ? 65_536 : 256 }),
      isExtended: fc.constant(isExtended),
    },
    { requiredKeys: ['cla', 'ins', 'p1', 'p2', 'data', 'isExtended'] },
  ),
)

test('any command survives its bytes', () => {
  fc.assert(
    fc.property(command, (sent) => {
      // A command without lengths has one form only.
      fc.pre(!sent.isExtended || sent.data.length > 0 || sent.le !== undefined)
      expect(parseCommand(encodeCommand(sent))).toEqual(sent)
    }),
  )
})

test.each([
  [{ data: new Uint8Array(256) }, 'tooLong'],
  [{ le: 257 }, 'wrongValue'],
  [{ le: 0 }, 'wrongValue'],
  [{ cla: 256 }, 'wrongValue'],
  [{ p2: 1.5 }, 'wrongValue'],
])('refuses to write %j', (change, code) => {
  const command = { cla: 0, ins: 0xa4, p1: 4, p2: 0, data: new Uint8Array(), isExtended: false }
  expect(() => encodeCommand({ ...command, ...change })).toThrow(expect.objectContaining({ code }))
})

test('any response survives its bytes', () => {
  const word = fc.integer({ min: 0x6100, max: 0x9fff }).filter(isStatusWord)
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), word, (content, statusWord) => {
      const response = { data: content, statusWord }
      expect(parseResponse(encodeResponse(response))).toEqual(response)
    }),
  )
})

test.each([
  ['90', 'cutOff', 0],
  ['1234', 'wrongValue', 0],
  ['AABB6000', 'wrongValue', 2],
])('refuses the response %s: %s at byte %i', (hex, code, at) => {
  expect(() => parseResponse(readHex(hex))).toThrow(expect.objectContaining({ code, at }))
})
