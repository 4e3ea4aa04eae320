import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { unzipSync, zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { concat, readHex, toHex } from '../bytes.ts'
import { archive, component, components } from '../testing/cap-archive.ts'
import { CapError } from './cap-error.ts'
import { loadFileHash, readCapFile } from './cap-file.ts'

const order = [
  'Header',
  'Directory',
  'Import',
  'Applet',
  'Class',
  'Method',
  'StaticField',
  'ConstantPool',
  'RefLocation',
]

test('reads package, applets, imports, Java Card version and load file', async () => {
  const made: Record<string, Uint8Array> = {
    ...components(),
    Descriptor: component(11, '00'),
    Debug: component(12, '0000'),
  }
  const file = readCapFile(archive(made))
  expect(file).toMatchObject({
    name: 'example.empty',
    aid: '0102030405',
    major: 1,
    minor: 0,
    format: '2.1',
    hasApplets: true,
    hasExports: false,
    usesIntegers: false,
    javaCard: '2.2.1',
    applets: [{ aid: '0102030405060708', installOffset: 8 }],
    imports: [
      { aid: 'A0000000620101', major: 1, minor: 2 },
      { aid: 'A0000000620001', major: 1, minor: 0 },
    ],
  })
  const code = concat(...order.map((name) => made[name] ?? new Uint8Array()))
  expect(toHex(file.code)).toBe(toHex(code))
  expect(await loadFileHash(file.code)).toBe(
    createHash('sha256').update(code).digest('hex').toUpperCase(),
  )
})

test('reads an archive without compression, and one with a comment', () => {
  const made = components()
  const plain = zipSync(
    Object.fromEntries(
      Object.entries(made).map(([name, data]) => [`a/javacard/${name}.cap`, data]),
    ),
    { level: 0 },
  )
  expect(readCapFile(plain)).toMatchObject({ name: 'a', aid: '0102030405' })
  const commented = concat(plain, readHex('414243'))
  commented[plain.length - 2] = 3
  expect(readCapFile(commented)).toMatchObject({ name: 'a' })
})

test('takes the name inside the header', () => {
  const header = 'DECAFFED 0202 04 0001 05 0102030405 05 612F622F63'
  expect(readCapFile(archive(components({ header })))).toMatchObject({
    name: 'a.b.c',
    format: '2.2',
  })
})

test.each([
  ['00', '2.1.1'],
  ['03', '2.2.2'],
  ['04', '3.0.1'],
  ['05', '3.0.4'],
  ['06', '3.0.5'],
  ['08', '3.1'],
  ['09', '3.2'],
  ['63', undefined],
])('version 1.%s of the framework is that of Java Card %s', (minor, javaCard) => {
  const file = readCapFile(archive(components({ import: `01 ${minor} 01 07 A0000000620101` })))
  expect(file.javaCard).toBe(javaCard)
})

const without = (name: string) =>
  Object.fromEntries(Object.entries(components()).filter(([each]) => each !== name))

test.each<[string, () => Uint8Array, string]>([
  ['no archive', () => readHex('DECAFFED'), 'notZip'],
  ['an empty archive', () => zipSync({}), 'missingComponent'],
  [
    'an archive of something else',
    () => zipSync({ 'a.txt': new Uint8Array(3) }),
    'missingComponent',
  ],
  ['no header', () => archive(without('Header')), 'missingComponent'],
  ['no directory', () => archive(without('Directory')), 'missingComponent'],
  ['no applets, though announced', () => archive(without('Applet')), 'wrongDirectory'],
  [
    'two packages',
    () => archive(components(), { 'other/javacard/Header.cap': component(1, '00') }),
    'severalPackages',
  ],
  [
    'another magic',
    () => archive(components({ header: 'DECAFF00 0102 04 0001 05 0102030405' })),
    'wrongMagic',
  ],
  [
    'a later format',
    () => archive(components({ header: 'DECAFFED 0402 04 0001 05 0102030405' })),
    'unsupportedFormat',
  ],
  [
    'the extended format before 2.3',
    () => archive(components({ header: 'DECAFFED 0202 0C 0001 05 0102030405' })),
    'unsupportedFormat',
  ],
  [
    'a package AID of 4 bytes',
    () => archive(components({ header: 'DECAFFED 0102 04 0001 04 01020304' })),
    'wrongAid',
  ],
  [
    'a header that is cut off',
    () => archive(components({ header: 'DECAFFED 0102 04 0001 05 0102' })),
    'cutOff',
  ],
  [
    'a header with more',
    () => archive(components({ header: 'DECAFFED 0102 04 0001 05 0102030405 00 00' })),
    'leftOver',
  ],
  [
    'an applet without an offset',
    () => archive(components({ applet: '01 08 0102030405060708' })),
    'cutOff',
  ],
  ['bytes behind the applets', () => archive(components({ applet: '00 00' })), 'leftOver'],
  [
    'an applet twice',
    () => archive(components({ applet: '02 05 0102030405 0008 05 0102030405 0008' })),
    'duplicateAid',
  ],
  [
    'an import that is cut off',
    () => archive(components({ import: '02 00 01 05 0102030405' })),
    'cutOff',
  ],
  ['a short directory', () => archive(components({ directory: '0012' })), 'wrongDirectory'],
  [
    'a directory with another size',
    () => archive({ ...components(), Method: component(7, '00') }),
    'wrongDirectory',
  ],
  [
    'another tag',
    () => archive({ ...components(), Class: component(7, '0080000000') }),
    'wrongTag',
  ],
  [
    'another size',
    () => archive({ ...components(), Class: concat(component(6, '0080000000'), [0]) }),
    'wrongSize',
  ],
  ['too large a file', () => new Uint8Array(4 * 1024 * 1024 + 1), 'tooLarge'],
  [
    'too large a component',
    () => archive({ ...components(), Method: new Uint8Array(70_000) }),
    'tooLarge',
  ],
  [
    'too many entries',
    () =>
      zipSync(
        Object.fromEntries(Array.from({ length: 513 }, (_, at) => [`${at}`, new Uint8Array()])),
      ),
    'tooManyEntries',
  ],
])('refuses %s', (_, make, code) => {
  expect(() => readCapFile(make())).toThrow(expect.objectContaining({ name: 'CapError', code }))
})

test('refuses damaged contents', () => {
  const plain = zipSync(
    Object.fromEntries(
      Object.entries(components()).map(([name, data]) => [`a/javacard/${name}.cap`, data]),
    ),
    { level: 0 },
  )
  const at = toHex(plain).indexOf('188C00') / 2
  plain[at] = 0x19
  expect(() => readCapFile(plain)).toThrow(
    expect.objectContaining({ code: 'corruptEntry', entry: 'a/javacard/Method.cap' }),
  )
})

test('refuses an entry that inflates to more than it says', () => {
  const bomb = archive({ ...components(), Method: new Uint8Array(60_000) })
  const central =
    toHex(bomb).lastIndexOf(toHex(new TextEncoder().encode('javacard/Method.cap'))) / 2
  const sizeAt = central - 'example/empty/'.length - 46 + 24
  new DataView(bomb.buffer).setUint32(sizeAt, 10, true)
  expect(() => readCapFile(bomb)).toThrow(expect.objectContaining({ code: 'corruptEntry' }))
})

const whole = archive(components())

test('any change of any byte is read or refused with a typed error @long', () => {
  const change = fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255) })
  fc.assert(
    fc.property(
      fc.array(change, { minLength: 1, maxLength: 6 }),
      fc.nat(whole.length),
      (changes, cut) => {
        const changed = whole.slice(0, cut % 7 === 0 ? cut : whole.length)
        for (const { at, byte } of changes) changed[at] = byte
        try {
          readCapFile(changed)
        } catch (error) {
          expect(error).toBeInstanceOf(CapError)
        }
      },
    ),
    { numRuns: 2000 },
  )
})

test('any components are read or refused with a typed error', () => {
  const hex = fc.uint8Array({ minLength: 1, maxLength: 60 }).map(toHex)
  fc.assert(
    fc.property(
      fc.record({ header: hex, applet: hex, import: hex, directory: hex }, { requiredKeys: [] }),
      (parts) => {
        try {
          readCapFile(archive(components(parts)))
        } catch (error) {
          expect(error).toBeInstanceOf(CapError)
        }
      },
    ),
    { numRuns: 300 },
  )
})

test('an entry that inflates to far more than it says is refused before it is made @long', () => {
  const size = 16 * 1024 * 1024
  const bomb = zipSync({ 'a/javacard/Header.cap': [new Uint8Array(size), { level: 9 }] })
  const view = new DataView(bomb.buffer, bomb.byteOffset, bomb.length)
  for (let at = 0; at < bomb.length - 4; at++)
    if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, 20, true)
  const processorTime = (work: () => void) => {
    const before = process.cpuUsage()
    work()
    return process.cpuUsage(before).user
  }
  const whole = processorTime(() => unzipSync(zipSync({ a: [new Uint8Array(size), { level: 1 }] })))
  const refused = processorTime(() =>
    expect(() => readCapFile(bomb)).toThrow(expect.objectContaining({ code: 'corruptEntry' })),
  )
  expect(refused).toBeLessThan(whole / 4)
})
