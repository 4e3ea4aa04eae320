import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { signedPart, wholeImage, type NewImage, type NewTlv } from './make-mcuboot.rules.ts'
import {
  flagsOf,
  McubootError,
  partsOf,
  readMcuboot,
  signedSize,
  tlvName,
  tlvTypes,
} from './mcuboot.rules.ts'

const hash: NewTlv = { type: tlvTypes.sha256, value: new Uint8Array(32).fill(7) }
const sample: NewImage = {
  version: [1, 2, 300, 4],
  program: new Uint8Array(100).fill(1),
  loadAddress: 0x800_8000,
  flags: 0x22,
  headerSize: 0x40,
  protectedTlvs: [{ type: tlvTypes.securityCounter, value: Uint8Array.of(9, 0, 0, 0) }],
}
const make = (more: Partial<NewImage> = {}, tlvs = [hash]) =>
  wholeImage(signedPart({ ...sample, ...more }), tlvs)

function errorOf(bytes: Uint8Array) {
  try {
    readMcuboot(bytes)
  } catch (error) {
    if (!(error instanceof McubootError)) throw error
    return [error.code, error.offset, error.expected, error.found]
  }
  return undefined
}

/** The image with some of its bytes changed. */
const spoilt = (at: number, ...bytes: number[]) => {
  const image = make()
  image.set(bytes, at)
  return image
}

test('an image is described by its contents', () => {
  const image = readMcuboot(make())
  expect(image).toMatchObject({
    version: '1.2.300+4',
    loadAddress: 0x800_8000,
    headerSize: 64,
    imageSize: 100,
    protectedSize: 12,
    flags: 0x22,
    hash: '07'.repeat(32),
    end: 64 + 100 + 12 + 40,
  })
  expect(signedSize(image)).toBe(176)
  expect(flagsOf(image.flags)).toEqual(['ramLoad'])
  expect(image.tlvs.map(({ type, isProtected }) => [tlvName(type), isProtected])).toEqual([
    ['securityCounter', true],
    ['sha256', false],
  ])
  expect(readMcuboot(make({ version: [1, 0, 0] })).version).toBe('1.0.0')
})

test('the header is laid out as in image.h of bootutil', () => {
  const header = '3db8f396 00000000 2000 0000 04000000 00000000 01020300 04000000 00000000'
  const built = signedPart({ version: [1, 2, 3, 4], program: new Uint8Array(4) })
  expect(Buffer.from(built.subarray(0, 32)).toString('hex')).toBe(header.replaceAll(' ', ''))
})

test('a fault in a file is named with its byte', () => {
  const whole = make()
  expect(errorOf(new Uint8Array())).toEqual(['cutOff', 0, '4', undefined])
  expect(errorOf(spoilt(0, 0x3c))).toEqual(['wrongMagic', 0, '0x96f3b83d', '0x96f3b83c'])
  expect(errorOf(whole.subarray(0, 20))).toEqual(['cutOff', 20, '32', undefined])
  expect(errorOf(spoilt(8, 16))).toEqual(['wrongHeaderSize', 8, '32', '16'])
  expect(errorOf(spoilt(12, 0, 0, 0, 0))).toEqual(['emptyProgram', 12, undefined, undefined])
  expect(errorOf(spoilt(12, 0xff, 0xff, 0xff, 0xff))?.[0]).toBe('cutOff')
  expect(errorOf(spoilt(12, 101))).toEqual(['wrongTlvMagic', 165, '0x6908', '0xc69'])
  expect(errorOf(spoilt(166, 13))).toEqual(['wrongTlvSize', 166, '12', '13'])
  expect(errorOf(spoilt(170, 5))).toEqual(['wrongTlvSize', 170, '4', '5'])
  expect(errorOf(spoilt(182, 31))?.slice(0, 2)).toEqual(['wrongTlvLength', 182])
  expect(errorOf(whole.subarray(0, -1))).toEqual(['cutOff', 215, '216', undefined])
  expect(errorOf(make({}, []))).toEqual(['missingHash', 180, undefined, undefined])
  expect(errorOf(make({}, [hash, hash]))?.slice(0, 2)).toEqual(['repeatedHash', 216])
  const many = Array.from({ length: 200 }, () => ({ type: 0xa0, value: new Uint8Array() }))
  expect(errorOf(make({}, many))?.[0]).toBe('tooManyTlvs')
})

const images = fc.record({
  version: fc.tuple(
    fc.nat(255),
    fc.nat(255),
    fc.nat(65_535),
    fc.integer({ min: 0, max: 0xffff_ffff }),
  ),
  program: fc.uint8Array({ minLength: 1, maxLength: 200 }),
  loadAddress: fc.integer({ min: 0, max: 0xffff_ffff }),
  flags: fc.integer({ min: 0, max: 0xffff_ffff }),
  headerSize: fc.integer({ min: 32, max: 300 }),
  protectedTlvs: fc.array(
    fc.record({
      type: fc.integer({ min: 0xa0, max: 0xfe }),
      value: fc.uint8Array({ maxLength: 20 }),
    }),
    { maxLength: 4 },
  ),
})

test('any image is read back as built, and its parts are the whole file', () => {
  fc.assert(
    fc.property(images, fc.uint8Array({ maxLength: 30 }), (given, trailer) => {
      const whole = wholeImage(signedPart(given), [hash])
      const file = Uint8Array.of(...whole, ...trailer)
      const image = readMcuboot(file)
      const [major, minor, revision, build] = given.version
      const version = `${major}.${minor}.${revision}`
      expect(image).toMatchObject({
        version: build === 0 ? version : `${version}+${build}`,
        loadAddress: given.loadAddress,
        flags: given.flags,
        imageSize: given.program.length,
        end: whole.length,
      })
      expect(image.tlvs.filter(({ isProtected }) => isProtected)).toHaveLength(
        given.protectedTlvs.length,
      )
      const parts = partsOf(image)
      expect(parts[0]?.from).toBe(0)
      expect(parts.at(-1)?.to).toBe(file.length)
      for (const [at, part] of parts.entries()) {
        expect(part.to).toBeGreaterThan(part.from)
        if (at > 0) expect(part.from).toBe(parts[at - 1]?.to)
      }
    }),
  )
})

test('a corrupted image is read or refused, and refused with a byte of the file', () => {
  const change = fc.tuple(fc.nat(400), fc.nat(255))
  fc.assert(
    fc.property(images, fc.array(change, { maxLength: 6 }), fc.nat(400), (given, changes, cut) => {
      const file = wholeImage(signedPart(given), [hash]).subarray(0, cut + 32)
      for (const [at, byte] of changes) if (at < file.length) file[at] = byte
      const error = errorOf(file)
      if (error) expect(Number(error[1])).toBeLessThanOrEqual(file.length)
    }),
    { numRuns: 2_000 },
  )
})

test('any bytes are read or refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      expect(errorOf(bytes)?.[0]).toBeDefined()
    }),
    { numRuns: 2_000 },
  )
})
