import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readHex, toHex } from './bytes.ts'
import { deepestTlv, encodeTlv, maxTlvs, parseTlv, type TlvInput, type TlvNode } from './tlv.ts'

// martinpaljak/GlobalPlatformPro, TestParseTags.testParseISD.
test('reads the registry entry of GlobalPlatformPro with its byte ranges', () => {
  const [entry] = parseTlv(readHex('E3144F07A00000015100009F700107C50180EA028000'))
  expect(entry).toMatchObject({ tag: 'E3', from: 0, lengthFrom: 1, valueFrom: 2, to: 22 })
  expect(entry?.children?.map(({ tag, from, to }) => [tag, from, to])).toEqual([
    ['4F', 2, 11],
    ['9F70', 11, 15],
    ['C5', 15, 18],
    ['EA', 18, 22],
  ])
})

test('reads tags of three bytes and lengths of two to four', () => {
  const value = '00'.repeat(130)
  expect(parseTlv(readHex(`DF812902ABCD`))).toMatchObject([{ tag: 'DF8129', valueFrom: 4, to: 6 }])
  expect(parseTlv(readHex(`C48182${value}`))).toMatchObject([{ valueFrom: 3, to: 133 }])
  expect(parseTlv(readHex(`C4820082${value}`))).toMatchObject([{ valueFrom: 4, to: 134 }])
  expect(parseTlv(readHex(`C483000082${value}`))).toMatchObject([{ valueFrom: 5, to: 135 }])
})

test.each([
  ['6F80840000', 'indefiniteLength', 1],
  ['C48400000001AA', 'lengthTooLong', 1],
  ['9F81818101AA', 'tagTooLong', 0],
  ['0000', 'wrongTag', 0],
  ['4F', 'cutOff', 1],
  ['9F', 'cutOff', 1],
  ['4F82', 'cutOff', 2],
  ['4F05A00000', 'cutOff', 2],
  // The inner object extends past the outer one.
  ['6F0384050000', 'cutOff', 4],
])('refuses %s: %s at byte %i', (hex, code, at) => {
  expect(() => parseTlv(readHex(hex))).toThrow(expect.objectContaining({ code, at }))
})

test('refuses more levels and more objects than a card sends', () => {
  const nested = (levels: number): Uint8Array => {
    let inner: TlvInput = { tag: '84', value: new Uint8Array(1) }
    for (let level = 1; level < levels; level++) inner = { tag: 'A5', value: [inner] }
    return encodeTlv([inner])
  }
  expect(parseTlv(nested(deepestTlv))).toHaveLength(1)
  expect(() => parseTlv(nested(deepestTlv + 1))).toThrow(
    expect.objectContaining({ code: 'tooDeep' }),
  )
  expect(parseTlv(readHex('4F00'.repeat(maxTlvs)))).toHaveLength(maxTlvs)
  expect(() => parseTlv(readHex('4F00'.repeat(maxTlvs + 1)))).toThrow(
    expect.objectContaining({ code: 'tooMany', at: maxTlvs * 2 }),
  )
})

test.each(['', '4', '00', '4F4F', '9F', '9F8181', 'XX', 'DF81818101'])(
  'refuses to write the tag %j',
  (tag) => {
    expect(() => encodeTlv([{ tag, value: new Uint8Array() }])).toThrow(
      expect.objectContaining({ code: 'wrongTag' }),
    )
  },
)

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.uint8Array({ minLength: 120, maxLength: 300 }),
)
const objects = fc.letrec<{ list: TlvInput[] }>((tie) => ({
  list: fc.array(
    fc.oneof(
      { depthSize: 'small' },
      fc.record({ tag: fc.constantFrom('4F', '9F70', 'C5', '5F50', 'DF8129'), value: bytes }),
      fc.record({ tag: fc.constantFrom('E3', '6F', 'A5', 'FF21', 'BF8101'), value: tie('list') }),
    ),
    { maxLength: 4 },
  ),
})).list

const inputOf = (all: Uint8Array, nodes: TlvNode[]): TlvInput[] =>
  nodes.map(({ tag, valueFrom, to, children }) => ({
    tag,
    value: children ? inputOf(all, children) : all.slice(valueFrom, to),
  }))

test('any objects survive their bytes', () => {
  fc.assert(
    fc.property(objects, (list) => {
      const all = encodeTlv(list)
      expect(inputOf(all, parseTlv(all))).toEqual(list)
      expect(toHex(encodeTlv(inputOf(all, parseTlv(all))))).toBe(toHex(all))
    }),
  )
})
