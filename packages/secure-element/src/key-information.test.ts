import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readHex } from './bytes.ts'
import {
  encodeKeyInformation,
  parseKeyInformation,
  type KeyInformation,
} from './key-information.ts'

// martinpaljak/GlobalPlatformPro, TestGPKeyInfo.
test('reads AES and RSA keys', () => {
  const keys = parseKeyInformation(
    readHex('E020C00401018820C00402018820C00403018820C0060170A180A003C00401718010'),
  )
  expect(keys).toHaveLength(5)
  expect(keys[0]).toEqual({ id: 1, version: 1, components: [{ type: 0x88, length: 32 }] })
  expect(keys[3]).toEqual({
    id: 1,
    version: 0x70,
    components: [
      { type: 0xa1, length: 128 },
      { type: 0xa0, length: 3 },
    ],
  })
})

test('reads the extended format with one mark for all components', () => {
  const keys = parseKeyInformation(
    readHex('E021C00401018010C00402018010C00403018010C00D0173FFA10080A0000301840100'),
  )
  expect(keys).toHaveLength(4)
  expect(keys[3]).toEqual({
    id: 1,
    version: 0x73,
    components: [
      { type: 0xa1, length: 128 },
      { type: 0xa0, length: 3 },
    ],
    extended: { usage: 0x84, access: 0 },
  })
})

test('reads the extended format with a mark for each component', () => {
  const keys = parseKeyInformation(
    readHex(
      'E081B0C00A0120FF80001001000100C00A0220FF80001001000100C00A0320FF80001001000100C00A0101FF80001001000100C00A0201FF80001001000100C00A0301FF80001001000100C00A0102FF88001001000100C00E0202FF880010FF10000101000100C00A0302FF88001001000100C00A0103FF88001001000100C00E0203FF880010FF10000101000100C00A0303FF88001001000100C00A1403FF85001001000100C00A1503FF88001001000100',
    ),
  )
  expect(keys).toHaveLength(14)
  expect(keys.map(({ version }) => version)).toEqual([32, 32, 32, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3])
  expect(keys[7]?.components).toEqual([
    { type: 0x88, length: 16 },
    { type: 0x10, length: 1 },
  ])
})

// martinpaljak/GlobalPlatformPro #114: a real card with AES-256.
test('reads the keys of a real card, and of a new domain without keys', () => {
  expect(parseKeyInformation(readHex('E012C00401018820C00402018820C00403018820'))).toHaveLength(3)
  expect(parseKeyInformation(readHex('E002C000'))).toEqual([])
  expect(parseKeyInformation(readHex('E000'))).toEqual([])
})

test.each([
  ['E303C00101', 'wrongTag', 0],
  ['E003C10101', 'wrongTag', 2],
  ['E005C003010188', 'cutOff', 7],
  ['E000C000', 'leftOver', 2],
  ['E008C0060101FF880010', 'cutOff', 10],
  ['E00BC0090101FF880010010002', 'wrongValue', 12],
])('refuses %s: %s at byte %i', (hex, code, at) => {
  expect(() => parseKeyInformation(readHex(hex))).toThrow(expect.objectContaining({ code, at }))
})

const byte = fc.integer({ min: 0, max: 255 })
const components = (most: number) =>
  fc.array(
    fc.record({
      type: fc.integer({ min: 0x80, max: 0xfe }),
      length: fc.integer({ min: 0, max: most }),
    }),
    { minLength: 1, maxLength: 3 },
  )
const key: fc.Arbitrary<KeyInformation> = fc.oneof(
  fc.record({ id: byte, version: byte, components: components(255) }),
  fc.record({
    id: byte,
    version: byte,
    components: components(65_535),
    extended: fc.record({ usage: byte, access: byte }, { requiredKeys: [] }),
  }),
)

test('any keys survive their bytes', () => {
  fc.assert(
    fc.property(fc.array(key, { maxLength: 20 }), (keys) => {
      expect(parseKeyInformation(encodeKeyInformation(keys))).toEqual(keys)
    }),
  )
})
