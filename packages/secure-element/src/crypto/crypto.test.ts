import { createCipheriv, createDecipheriv } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readHex, toHex } from '../bytes.ts'
import { aesKey } from './aes.ts'
import { tripleDesKey } from './triple-des.ts'

const message =
  '6BC1BEE22E409F96E93D7E117393172AAE2D8A571E03AC9C9EB76FAC45AF8E51' +
  '30C81C46A35CE411E5FBC1191A0A52EFF69F2445DF4F9B17AD2B417BE66C3710'

// RFC 4493, 4, and NIST SP 800-38B, D.2 and D.3.
test.each([
  ['2B7E151628AED2A6ABF7158809CF4F3C', 0, 'BB1D6929E95937287FA37D129B756746'],
  ['2B7E151628AED2A6ABF7158809CF4F3C', 16, '070A16B46B4D4144F79BDD9DD04A287C'],
  ['2B7E151628AED2A6ABF7158809CF4F3C', 40, 'DFA66747DE9AE63030CA32611497C827'],
  ['2B7E151628AED2A6ABF7158809CF4F3C', 64, '51F0BEBF7E3B9D92FC49741779363CFE'],
  ['8E73B0F7DA0E6452C810F32B809079E562F8EAD2522C6B7B', 0, 'D17DDF46ADAACDE531CAC483DE7A9367'],
  ['8E73B0F7DA0E6452C810F32B809079E562F8EAD2522C6B7B', 16, '9E99A7BF31E710900662F65E617C5184'],
  ['8E73B0F7DA0E6452C810F32B809079E562F8EAD2522C6B7B', 40, '8A1DE5BE2EB31AAD089A82E6EE908B0E'],
  [
    '603DEB1015CA71BE2B73AEF0857D77811F352C073B6108D72D9810A30914DFF4',
    64,
    'E1992190549F6ED5696A2C056C315410',
  ],
])('AES-CMAC with the key %s over %i bytes', (key, length, mac) => {
  const data = length === 0 ? new Uint8Array() : readHex(message.slice(0, length * 2))
  expect(toHex(aesKey(readHex(key)).mac(data))).toBe(mac)
})

// ISO/IEC 9797-1 retail MAC as in ICAO Doc 9303-11, D.3, for basic access control.
test('the retail MAC of a passport', () => {
  const key = tripleDesKey(readHex('7962D9ECE03D1ACD4C76089DCE131543'))
  const data = readHex('72C29C2371CC9BDB65B779B8E8D37B29ECC154AA56A8799FAE2F498F76ED92F2')
  expect(toHex(key.mac(data))).toBe('5F1448EEA8AD90A7')
})

test.each([0, 8, 15, 17, 33])('a key of %i bytes is refused', (length) => {
  const wrong = expect.objectContaining({ name: 'DecodeError', code: 'wrongLength' }) as Error
  expect(() => aesKey(new Uint8Array(length))).toThrow(wrong)
  expect(() => tripleDesKey(new Uint8Array(length))).toThrow(wrong)
})

// One cipher serves all operations of a key, so earlier ones must not leak into later ones.
test('the operations of one AES key give what fresh ciphers give, in any order', () => {
  const block = fc.uint8Array({ minLength: 16, maxLength: 16 })
  const blocks = fc
    .array(block, { maxLength: 5 })
    .map((all) => Uint8Array.from(all.flatMap((each) => [...each])))
  const operation = fc.tuple(
    fc.constantFrom('encrypt', 'decrypt', 'encryptBlock', 'mac'),
    blocks,
    block,
  )
  fc.assert(
    fc.property(
      fc.constantFrom(16, 24, 32),
      fc.array(operation, { maxLength: 12 }),
      (length, operations) => {
        const value = Uint8Array.from({ length }, (_, index) => index)
        const key = aesKey(value)
        const fresh = (make: typeof createCipheriv | typeof createDecipheriv, iv: Uint8Array) =>
          make(`aes-${length * 8}-cbc`, value, iv).setAutoPadding(false)
        for (const [name, data, iv] of operations)
          if (name === 'mac') expect(key.mac(data, iv)).toEqual(aesKey(value).mac(data, iv))
          else if (name === 'encryptBlock')
            expect(toHex(key.encryptBlock(iv))).toBe(
              toHex(fresh(createCipheriv, new Uint8Array(16)).update(iv)),
            )
          else {
            const make = name === 'encrypt' ? createCipheriv : createDecipheriv
            expect(toHex(key[name](data, iv))).toBe(toHex(fresh(make, iv).update(data)))
          }
      },
    ),
  )
})

test('a part of a block is refused, and spoils nothing', () => {
  const key = aesKey(new Uint8Array(16))
  const before = key.encrypt(new Uint8Array(16))
  const wrong = expect.objectContaining({ name: 'DecodeError', code: 'wrongLength' }) as Error
  expect(() => key.encrypt(new Uint8Array(17))).toThrow(wrong)
  expect(() => key.decrypt(new Uint8Array(15))).toThrow(wrong)
  expect(key.encrypt(new Uint8Array(16))).toEqual(before)
})
