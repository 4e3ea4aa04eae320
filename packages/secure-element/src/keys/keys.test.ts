import { expect, test } from 'vitest'
import { readHex, toHex } from '../bytes.ts'
import { diversifiedKey, diversifiedKeys, type Diversification } from './diversification.ts'
import { keyCheckValue, type KeyAlgorithm } from './key-check-value.ts'

const data = readHex('00010203040506070809')
const master = (length: number) => Uint8Array.from({ length }, (_, index) => 0x40 + index)

// martinpaljak/GlobalPlatformPro 236a610, TestPlaintextKeys.
test.each<[Diversification, number, KeyAlgorithm, string[]]>([
  ['EMV', 16, 'DES', ['C33013', '6F4CA6', 'BB8179']],
  ['VISA2', 16, 'DES', ['2BE598', '58DA38', '3C328E']],
  ['KDF3', 16, 'AES', ['E79C05', 'D1BD77', '3FDE8C']],
  ['KDF3', 24, 'AES', ['1DE8EA', '47C00C', 'C04D76']],
  ['KDF3', 32, 'AES', ['2972D2', '036F94', '5D57B8']],
])('%s with a master key of %i bytes gives the published keys', (method, length, kind, values) => {
  const key = master(length)
  const { enc, mac, dek } = diversifiedKeys(method, { enc: key, mac: key, dek: key }, data)
  expect([enc, mac, dek].map((each) => toHex(keyCheckValue(kind, each)))).toEqual(values)
})

// The same, testDiversification_KDF3_ExternalVector.
test('KDF3 gives the published key', () => {
  const key = diversifiedKey(
    'KDF3',
    readHex('8C72C72CF908411653018807950D82FBAD947562F0828A0B10B8B9606ABF3BCD'),
    'enc',
    readHex('D9B1DE5D0362DEDCE4FB'),
  )
  expect(toHex(key)).toBe('9AAC5D0B3601F89438A0D9D0B6B256CFB47E6462DFA5228D3420C4AC7C224781')
})

// osmocom/pysim 597f1e0, SCP03_KCV_Test; the last two belong to the default key.
test.each<[KeyAlgorithm, string, string]>([
  ['AES', '000102030405060708090A0B0C0D0E0F', 'C35280'],
  ['AES', '101112131415161718191A1B1C1D1E1F', '013808'],
  ['AES', '202122232425262728292A2B2C2D2E2F', '840DE5'],
  ['AES', '404142434445464748494A4B4C4D4E4F', '504A77'],
  ['DES', '404142434445464748494A4B4C4D4E4F', '8BAF47'],
])('the check value of the %s key %s is %s', (kind, key, value) => {
  expect(toHex(keyCheckValue(kind, readHex(key)))).toBe(value)
})

test.each([0, 9, 11])('%i bytes are no diversification data', (length) => {
  expect(() => diversifiedKey('EMV', master(16), 'enc', new Uint8Array(length))).toThrow(
    expect.objectContaining({ name: 'DecodeError', code: 'wrongLength' }),
  )
})
