import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeCommand, parseCommand, type Command } from '../apdu.ts'
import { concat, readHex, toHex } from '../bytes.ts'
import { encryptKey } from '../keys/encrypt-key.ts'
import { scp02SessionKeys } from '../secure-channel/scp02-keys.ts'
import {
  deleteKey,
  deleteObject,
  getData,
  getStatus,
  select,
  setApplicationState,
  setCardState,
  setLock,
  storeData,
} from './commands.ts'
import {
  installForExtradition,
  installForInstall,
  installForLoad,
  installForMakeSelectable,
  installForPersonalization,
  installForRegistryUpdate,
  installParameters,
  loadParameters,
} from './install.ts'
import { load } from './load.ts'
import { checkPutKeyReply, putKey } from './put-key.ts'

const hex = (command: Command) => toHex(encodeCommand(command))
const flat = (text: string) => text.replaceAll(' ', '').toUpperCase()

const loadFileAid = '0102030405'
const instanceAid = '0102030405060708'
const issuer = 'A000000151000000'

// GlobalPlatformPro's flow with its package Empty_0102030405, and commands that GlobalPlatformPro and
// pySim send.
test.each<[string, Command, string]>([
  ['SELECT', select({ aid: issuer }), '00A4040008 A000000151000000 00'],
  ['SELECT of the default', select(), '00A4040000'],
  ['SELECT of the next', select({ aid: 'A000000151', isNext: true }), '00A40402 05A000000151 00'],
  ['GET DATA of CPLC', getData({ tag: '9F7F' }), '80CA9F7F00'],
  ['GET DATA of the recognition data', getData({ tag: '66' }), '80CA006600'],
  ['GET DATA of an identity', getData({ tag: '42', cla: 0 }), '00CA004200'],
  ['GET STATUS', getStatus({ subset: 'issuer' }), '80F2800202 4F00 00'],
  ['GET STATUS, next', getStatus({ subset: 'applications', isNext: true }), '80F2400302 4F00 00'],
  [
    'GET STATUS of some objects',
    getStatus({ subset: 'loadFiles', tags: ['4F', '9F70', 'C5', 'CC'] }),
    '80F2200209 4F00 5C054F9F70C5CC 00',
  ],
  [
    'GET STATUS of a search',
    getStatus({ subset: 'loadFilesAndModules', aid: 'A000000151' }),
    '80F2100207 4F05A000000151 00',
  ],
  [
    'INSTALL [for load]',
    installForLoad({ loadFileAid, securityDomainAid: issuer }),
    '80E6020012 050102030405 08A000000151000000 000000 00',
  ],
  [
    'INSTALL [for install and make selectable]',
    installForInstall({ loadFileAid, moduleAid: instanceAid, instanceAid }),
    '80E60C001E 050102030405 080102030405060708 080102030405060708 0100 02C900 00 00',
  ],
  [
    'INSTALL [for install] of a domain',
    installForInstall({
      loadFileAid: 'A0000001515350',
      moduleAid: 'A000000151535041',
      instanceAid: 'A00000015100000001',
      privileges: ['securityDomain', 'trustedPath'],
      isSelectable: false,
    }),
    '80E6040023 07A0000001515350 08A000000151535041 09A00000015100000001 03808000 02C900 00 00',
  ],
  [
    'INSTALL [for make selectable]',
    installForMakeSelectable({ instanceAid, privileges: ['cardReset'] }),
    '80E608000F 00 00 080102030405060708 0104 00 00 00',
  ],
  [
    'INSTALL [for extradition]',
    installForExtradition({ aid: instanceAid, securityDomainAid: issuer }),
    '80E6100016 08A000000151000000 00 080102030405060708 00 00 00 00',
  ],
  [
    'INSTALL [for registry update]',
    installForRegistryUpdate({ aid: instanceAid, privileges: ['finalApplication'] }),
    '80E6400011 00 00 080102030405060708 03000200 00 00 00',
  ],
  [
    'INSTALL [for personalization]',
    installForPersonalization({ aid: instanceAid }),
    '80E620000E 00 00 080102030405060708 00 00 00 00',
  ],
  [
    'the first of load, install and make selectable',
    installForLoad({ loadFileAid, isCombined: true }),
    '80E60E010A 050102030405 00 00 00 00 00',
  ],
  [
    'DELETE with everything',
    deleteObject({ aid: loadFileAid, withRelated: true }),
    '80E4008007 4F050102030405 00',
  ],
  ['DELETE', deleteObject({ aid: loadFileAid }), '80E4000007 4F050102030405 00'],
  ['DELETE of a key', deleteKey({ id: 1, version: 0x30 }), '80E4000006 D00101 D20130 00'],
  ['DELETE of a key version', deleteKey({ version: 0x30 }), '80E4000003 D20130 00'],
  ['SET STATUS secured', setCardState({ state: 'secured' }), '80F0800F'],
  ['SET STATUS locked', setCardState({ state: 'cardLocked' }), '80F0807F'],
  [
    'SET STATUS terminated',
    setCardState({ state: 'terminated', aid: issuer }),
    '80F080FF08 A000000151000000',
  ],
  ['SET STATUS lock', setLock({ aid: instanceAid, isLocked: true }), '80F0408008 0102030405060708'],
  [
    'SET STATUS unlock',
    setLock({ aid: instanceAid, isLocked: false }),
    '80F0400008 0102030405060708',
  ],
  [
    'SET STATUS lock of a domain',
    setLock({ aid: issuer, isLocked: true, withApplications: true }),
    '80F0608008 A000000151000000',
  ],
  [
    'SET STATUS 0F',
    setApplicationState({ aid: instanceAid, state: 0x0f }),
    '80F0400F08 0102030405060708',
  ],
])('%s', (_, command, expected) => {
  expect(hex(command)).toBe(flat(expected))
})

// Decrypted from the recorded session of kaoh/globalplatform 8dd2f1b, scp02Test.c.
test('writes the parameters of a recorded installation', () => {
  const file = 'D0D1D2D3D4D501'
  const applet = 'D0D1D2D3D4D50101'
  expect(
    hex(
      installForLoad({
        loadFileAid: file,
        securityDomainAid: 'A000000003000000',
        parameters: loadParameters({ code: 0x160, nonVolatile: 2000 }),
      }),
    ),
  ).toBe('80E602001E07D0D1D2D3D4D50108A000000003000000000AEF08C6020160C80207D00000')
  expect(
    hex(
      installForInstall({
        loadFileAid: file,
        moduleAid: applet,
        instanceAid: applet,
        privileges: ['cvmManagement'],
        parameters: installParameters({ application: Uint8Array.of(0), nonVolatile: 2000 }),
      }),
    ),
  ).toBe(
    '80E60C002707D0D1D2D3D4D50108D0D1D2D3D4D5010108D0D1D2D3D4D50101010209C90100EF04C80207D00000',
  )
})

test('LOAD sends a package of 211 bytes in one block', () => {
  const code = new Uint8Array(211).fill(0xaa)
  const [only, ...others] = load({ code, blockSize: 247 }).map(hex)
  expect(others).toEqual([])
  expect(only).toBe(`80E88000D6C481D3${'AA'.repeat(211)}00`)
})

test('LOAD counts its blocks, and the last one says so', () => {
  const code = Uint8Array.from({ length: 500 }, (_, index) => index)
  const blocks = load({ code, blockSize: 239 })
  expect(blocks.map(({ p1, p2, data }) => [p1, p2, data.length])).toEqual([
    [0x00, 0, 239],
    [0x00, 1, 239],
    [0x80, 2, 26],
  ])
  expect(concat(...blocks.map(({ data }) => data))).toEqual(concat(readHex('C48201F4'), code))
})

test('LOAD puts signatures before the code', () => {
  const signatures = [{ securityDomainAid: issuer, signature: readHex('AABB') }]
  const [block] = load({ code: Uint8Array.of(1), blockSize: 247, signatures })
  expect(toHex(block?.data ?? new Uint8Array())).toBe(
    flat('E20E 4F08A000000151000000 C302AABB C40101'),
  )
})

test('LOAD refuses more than 256 blocks', () => {
  expect(load({ code: new Uint8Array(256 * 10 - 4), blockSize: 10 })).toHaveLength(256)
  expect(() => load({ code: new Uint8Array(256 * 10 - 3), blockSize: 10 })).toThrow(
    expect.objectContaining({ name: 'DecodeError', code: 'tooLong' }),
  )
})

test('STORE DATA says its format and its last block', () => {
  const data = readHex('0070050102030405')
  expect(storeData({ data, format: 'dgi' }).map(hex)).toEqual(['80E28800080070050102030405'])
  expect(
    storeData({ data: readHex('BF3E035C015A'), format: 'tlv', expectsReply: true }).map(hex),
  ).toEqual(['80E2910006BF3E035C015A00'])
  expect(storeData({ data, encryption: 'encrypted', blockSize: 5 }).map(hex)).toEqual([
    '80E26000050070050102',
    '80E2E00103030405',
  ])
})

// martinpaljak/GlobalPlatformPro 236a610, TestPlaintextKeys.testKeyEncryption_SCP02: the session DEK
// has the check value 85272E and comes from the counter 0000.
test('PUT KEY encrypts keys as published', () => {
  const key = readHex('404142434445464748494A4B4C4D4E4F')
  const { dek } = scp02SessionKeys({ enc: key, mac: key, dek: key }, new Uint8Array(2))
  const block = encryptKey('SCP02', dek, { algorithm: 'DES', value: key })
  expect(toHex(block.encrypted)).toBe('EFBEE6C6D99D7B70BDE9D7E927F020AF')
  expect(hex(putKey({ version: 1, keys: [block, block, block] }))).toBe(
    flat(`80D8008143 01 ${'8010EFBEE6C6D99D7B70BDE9D7E927F020AF038BAF47'.repeat(3)} 00`),
  )
})

test.each([
  [16, '8811 10', 16],
  [24, '8821 18', 32],
  [32, '8821 20', 32],
])('PUT KEY gives an AES key of %i bytes its clear length', (length, head, encrypted) => {
  const block = encryptKey('SCP03', new Uint8Array(16), {
    algorithm: 'AES',
    value: new Uint8Array(length),
  })
  expect(block.encrypted).toHaveLength(encrypted)
  const { data, p1, p2 } = putKey({ version: 0x30, replaces: 0x30, firstId: 2, keys: [block] })
  expect([p1, p2]).toEqual([0x30, 2])
  expect(toHex(data).startsWith(flat(`30 ${head}`))).toBe(true)
  expect(toHex(data).endsWith(`03${toHex(block.checkValue)}`)).toBe(true)
})

test('compares the reply of PUT KEY', () => {
  const block = encryptKey('SCP03', new Uint8Array(16), {
    algorithm: 'AES',
    value: readHex('404142434445464748494A4B4C4D4E4F'),
  })
  const check = (reply: string) =>
    checkPutKeyReply(reply === '' ? new Uint8Array() : readHex(reply), 1, [block])
  expect(check('01504A77')).toEqual({ kind: 'same' })
  expect(check('')).toEqual({ kind: 'missing' })
  expect(check('01')).toEqual({ kind: 'missing' })
  expect(check('01504A78')).toMatchObject({ kind: 'different', expected: '01504A77' })
  expect(check('02504A77')).toMatchObject({ kind: 'different' })
  expect(check('01504A7701')).toMatchObject({ kind: 'different' })
})

const someKey = encryptKey('SCP03', new Uint8Array(16), {
  algorithm: 'AES',
  value: new Uint8Array(16),
})

test.each<[string, () => unknown]>([
  ['an AID of 17 bytes', () => select({ aid: '00'.repeat(17) })],
  ['a tag of three bytes', () => getData({ tag: 'DF8129' })],
  ['DELETE of no key', () => deleteKey({})],
  ['DELETE of the key version 0', () => deleteKey({ version: 0 })],
  ['an AID of four bytes', () => deleteObject({ aid: '01020304' })],
  ['an AID that is no hex', () => deleteObject({ aid: 'XX' })],
  ['PUT KEY without keys', () => putKey({ version: 1, keys: [] })],
  ['PUT KEY to version 80', () => putKey({ version: 0x80, keys: [someKey] })],
  ['PUT KEY to version 0', () => putKey({ version: 0, keys: [someKey] })],
  ['a negative size', () => loadParameters({ code: -1 })],
  ['a size of five bytes', () => loadParameters({ code: 2 ** 32 })],
  [
    'an instance AID of two bytes',
    () => installForInstall({ loadFileAid, moduleAid: loadFileAid, instanceAid: '0102' }),
  ],
  [
    'an AES key of 8 bytes',
    () => encryptKey('SCP03', new Uint8Array(16), { algorithm: 'AES', value: new Uint8Array(8) }),
  ],
  ['300 blocks', () => storeData({ data: new Uint8Array(300), blockSize: 1 })],
])('%s is refused with a typed error', (_, make) => {
  expect(make).toThrow(expect.objectContaining({ name: 'DecodeError' }))
})

test('blocks of any size put together are the data', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 600 }),
      fc.integer({ min: 3, max: 255 }),
      (data, blockSize) => {
        const commands = storeData({ data, blockSize })
        expect(concat(...commands.map((each) => parseCommand(encodeCommand(each)).data))).toEqual(
          data,
        )
        expect(commands.findIndex(({ p1 }) => p1 >= 0x80)).toBe(commands.length - 1)
      },
    ),
  )
})
