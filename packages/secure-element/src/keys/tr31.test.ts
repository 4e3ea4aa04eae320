import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { concat, readHex, toHex } from '../bytes.ts'
import { aesKey } from '../crypto/aes.ts'
import { DecodeError } from '../decode-error.ts'
import { cardKeyHeader, maxKeyBlockLength, unwrapKeyBlock, wrapKeyBlock } from './tr31.ts'

/** The example of TR-31:2018, A.7.4, as in the tests of `openemv/tr31` and `knovichikhin/psec`. */
const example = {
  protection: readHex('88E1AB2A2E3DD38C1FA039A536500CC8A87AB9D62DC92C01058FA79F44657DE6'),
  key: readHex('3F419E1CB7079442AA37474C2EFBF8B8'),
  padding: readHex('1C2965473CE206BB855B01533782'),
  block:
    'D0112P0AE00E0000B82679114F470F540165EDFBF7E250FCEA43F810D215F8D207E2E417C07156A27E8E31DA05F7425509593D03A457DC34',
}
const header = { usage: 'P0', algorithm: 'A', mode: 'E', version: '00', exportability: 'E' }

test('the example of the standard is wrapped and opened', () => {
  const { protection, key, padding, block } = example
  expect(wrapKeyBlock(protection, { header, key }, padding)).toBe(block)
  expect(unwrapKeyBlock(protection, block)).toEqual({ header, key })
})

// Made by a Thales payShield 10K, as in the tests of `openemv/tr31`.
const payShield = readHex('41'.repeat(32))
test.each([
  [
    'D0112B0TN00N000037DB9B046B7B0048785690759580ABC3B9842AB4BB7717B49E92528E575785D8123559376A2553B27BE94F054F4E971C',
    'B0T',
    '1FA1F7CEC798D91545DA8AE0C7796BD9',
  ],
  [
    'D0144D0AN00N0000127862F945C2DED04530FAF7CDBC8B0BA10C7AA79BD5E0C2C5D6AC173BF588E4B19ACF1357178D50EA0AB193228E13958304FC6149632DFDCADF3A5B3D57E814',
    'D0A',
    'BE19E6A07A760F10EF8E83A226B63AAD141F463FDDD4F47DB244B4023EC3CACC',
  ],
])('a block of an HSM is opened: %.16s', (block, kind, key) => {
  const opened = unwrapKeyBlock(payShield, block)
  expect(`${opened.header.usage}${opened.header.algorithm}`).toBe(kind)
  expect(toHex(opened.key)).toBe(key)
})

/**
 * Made by `knovichikhin/psec` (commit 90ccbf3a) with protection keys 01, 02, … of 16, 24 and 32
 * bytes: the key is 80, 81, … of the same length, with the optional blocks KS, CT of over 255
 * characters, and PB.
 */
const optional = `KS1800604B120F9292800000CT00020136${'x'.repeat(300)}PB12000000000000`
test.each([
  [
    16,
    '00DDA6EEF6F958D90D57124AEBAB80D260AA57FB7B5BE71802082509CA1EC780BD99CA4DE46139BB7AD5F01F4A76AB549ABE7DAECD67A7958B288A54FA4537C0BB',
  ],
  [
    24,
    '005B0F923E6455D98F4D3178C800F524A466F49DF6C631044CDF836E618DF1BABC40BAA745221D57CBF3BB3DCEE1E1FE44FABB5E207984DD96BFD43B2803261B62',
  ],
  [
    32,
    '009EDBDFFCBA2906A298608F356BBCE54EC66A9F9D791934A542D9762DDE302A74FF851740FB067803AF93AA71C3CAD10F767F088C4B8244C34C4B88286B4E1EDC',
  ],
])('optional blocks are skipped under a protection key of %i bytes', (length, rest) => {
  const protection = Uint8Array.from({ length }, (_, at) => at + 1)
  const block = `D0496M6AC30E0300${optional}${rest}`
  expect(unwrapKeyBlock(protection, block)).toEqual({
    header: cardKeyHeader('mac', 'AES', 0x30),
    key: Uint8Array.from({ length }, (_, at) => at + 0x80),
  })
  expect(() => unwrapKeyBlock(protection, block.replace('KS18006', 'KS18007'))).toThrow(
    'wrongValue',
  )
})

test.each([16, 24, 32])('the length of a key of %i bytes does not show', (length) => {
  const key = new Uint8Array(length).fill(7)
  const block = wrapKeyBlock(payShield, { header: cardKeyHeader('enc', 'AES', 255), key })
  expect(block).toMatch(/^D0144D0ABFFE0000[0-9A-F]{128}$/)
  expect(unwrapKeyBlock(payShield, block).key).toEqual(key)
  // The padding is random, so blocks of the same key differ.
  expect(wrapKeyBlock(payShield, { header: cardKeyHeader('enc', 'AES', 255), key })).not.toBe(block)
})

test('the keys of a card have usages of their own', () => {
  const of = (algorithm: 'AES' | 'DES') =>
    (['enc', 'mac', 'dek'] as const).map((name) =>
      Object.values(cardKeyHeader(name, algorithm, 0x20)).join(''),
    )
  expect(of('AES')).toEqual(['D0AB20E', 'M6AC20E', 'K0AB20E'])
  expect(of('DES')).toEqual(['D0TB20E', 'M3TC20E', 'K0TB20E'])
})

describe('what is no block is one error', () => {
  const { protection, block } = example
  const error = (text: string, key = protection) => {
    try {
      unwrapKeyBlock(key, text)
      return undefined
    } catch (thrown) {
      if (!(thrown instanceof DecodeError)) throw thrown
      return thrown.code
    }
  }
  const at = (index: number, text: string) =>
    block.slice(0, index) + text + block.slice(index + text.length)

  test.each([
    ['empty', '', 'cutOff'],
    ['cut off in the header', block.slice(0, 15), 'cutOff'],
    ['shorter than it says', block.slice(0, -32), 'wrongLength'],
    ['longer than it says', `${block}${'0'.repeat(32)}`, 'wrongLength'],
    ['of version B', at(0, 'B'), 'notRecognised'],
    ['of an unknown version', at(0, '1'), 'notRecognised'],
    ['without a length', at(1, '0x70'), 'wrongLength'],
    ['with a letter that is not ASCII', at(5, 'Ж'), 'notRecognised'],
    ['with a wrong count of blocks', at(12, 'A0'), 'notRecognised'],
    ['with 99 optional blocks', at(12, '99'), 'cutOff'],
    ['with a key that is not hex', at(20, 'G'), 'notHex'],
    ['with a space in the key', at(20, ' '), 'notHex'],
    ['with a MAC that is not hex', at(111, '-'), 'notHex'],
    ['with another MAC', at(111, '5'), 'wrongValue'],
    ['with another key', at(20, '8'), 'wrongValue'],
    ['with another usage', at(5, 'K0'), 'wrongValue'],
    ['with another exportability', at(11, 'N'), 'wrongValue'],
    ['longer than any block', `D9999${'0'.repeat(maxKeyBlockLength)}`, 'tooLong'],
    ['without a key', `D0048P0AE00E0000${'0'.repeat(32)}`, 'wrongLength'],
    ['with half a cipher block', `D0064P0AE00E0000${'0'.repeat(48)}`, 'wrongLength'],
  ])('%s', (_, text, code) => {
    expect(error(text)).toBe(code)
  })

  const withOptional = (text: string, count = '01') => {
    const rest = `P0AE00E${count}00${text}${block.slice(16)}`
    return `D${String(rest.length + 5).padStart(4, '0')}${rest}`
  }
  test.each([
    ['of less than its header', `KS03${'0'.repeat(31)}`, 'wrongLength'],
    ['with a length that is not hex', 'KS-1', 'notHex'],
    ['past the end', 'KSFF', 'cutOff'],
    ['with a long length of nothing', 'KS0000', 'lengthTooLong'],
    ['with a length of 510 digits', 'KS00FF', 'lengthTooLong'],
    ['with a long length past the end', 'KS0002FFFF', 'cutOff'],
    ['with a long length of less than itself', `KS00020009${'0'.repeat(31)}`, 'wrongLength'],
    ['into the MAC', `KS60${'0'.repeat(10)}`, 'wrongLength'],
  ])('an optional block %s', (_, text, code) => {
    expect(error(withOptional(text))).toBe(code)
  })

  test('another protection key, and one of no length of AES', () => {
    expect(error(block, protection.slice().reverse())).toBe('wrongValue')
    expect(error(block, protection.slice(0, 16))).toBe('wrongValue')
    expect(error(block, protection.slice(0, 20))).toBe('wrongLength')
  })

  test('a length of the key that the block does not have', () => {
    const { key, padding } = example
    expect(forged(protection, [0, 128], key, padding)).toBe(block)
    // 64 bytes in 30, 127 bits, and none.
    for (const length of [
      [2, 0],
      [0, 127],
      [0, 0],
    ])
      expect(error(forged(protection, length, key, padding))).toBe('wrongLength')
  })

  test('any text, and any change of a block', () => {
    fc.assert(fc.property(fc.string({ maxLength: 300 }), (text) => error(text) !== undefined))
    fc.assert(
      fc.property(
        fc.nat(block.length - 1),
        fc.string({ minLength: 1, maxLength: 4 }),
        (i, text) => {
          const changed = at(i, text)
          // Hex is parsed in either case, but the header's case is covered by the MAC.
          const isSame = changed.slice(0, 16) + changed.slice(16).toUpperCase() === block
          return isSame || error(changed) !== undefined
        },
      ),
      { numRuns: 500 },
    )
  })
})

test('a header of other lengths, or too long a key, makes no block', () => {
  const key = new Uint8Array(16)
  const wrap =
    (change: object, own = key) =>
    () =>
      wrapKeyBlock(payShield, { header: { ...header, ...change }, key: own })
  expect(wrap({ usage: 'P' })).toThrow('wrongValue')
  expect(wrap({ mode: '\n' })).toThrow('wrongValue')
  expect(wrap({ version: '100' })).toThrow('wrongValue')
  expect(wrap({}, new Uint8Array(0))).toThrow('wrongLength')
  expect(wrap({}, new Uint8Array(5000))).toThrow('tooLong')
  expect(() => wrapKeyBlock(payShield, { header, key }, new Uint8Array(3))).toThrow('wrongLength')
  expect(() => wrapKeyBlock(new Uint8Array(8), { header, key })).toThrow('wrongLength')
})

/** A block of a 16-byte key with a correct MAC and a wrong key length. */
function forged(
  protection: Uint8Array,
  length: readonly number[],
  key: Uint8Array,
  padding: Uint8Array,
): string {
  const from = aesKey(protection)
  const derived = (purpose: number) =>
    aesKey(concat(...[1, 2].map((at) => from.mac([at, 0, purpose, 0, 0, 4, 1, 0]))))
  const head = 'D0112P0AE00E0000'
  const data = concat(length, key, padding)
  const mac = derived(1).mac(Buffer.from(head, 'ascii'), data)
  return `${head}${toHex(derived(0).encrypt(data, mac))}${toHex(mac)}`
}
