import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { concat, readHex, toHex } from '../bytes.ts'
import { scp11Example } from '../card/scp11-example.ts'
import { DecodeError } from '../decode-error.ts'
import { makeCertificate, pointOf } from '../testing/make-certificate.ts'
import { scp11Keys } from '../testing/scp11-vectors.ts'
import { encodeTlv } from '../tlv.ts'
import { keyIdentifier, parseCertificate, parseCertificates } from './certificate.ts'

const { authority, card } = scp11Example
const made = makeCertificate({ of: card, by: authority })
const authorityPoint = pointOf(authority)

test('reads the recorded certificates of both formats', () => {
  const common = {
    serialNumber: '6DBC19AFE3782C7C0053F19E86DF2F0F00B559EA',
    authority: '851A6F60A6B45534647260877A357F3676C35686',
    subject: 'E225C62F5E33CA02D23D9D83D0685B4EB2FEBC11',
    usages: ['agreement'],
  }
  const ofGlobalPlatform = parseCertificate(readHex(scp11Keys.globalPlatform))
  expect(ofGlobalPlatform).toMatchObject({
    ...common,
    format: 'globalPlatform',
    validFrom: undefined,
    validTo: Date.UTC(2028, 11, 32) - 1,
  })
  const x509 = parseCertificate(readHex(scp11Keys.x509))
  expect(x509).toMatchObject({
    ...common,
    format: 'x509',
    validFrom: Date.UTC(2025, 1, 6, 10, 21, 56),
    validTo: Date.UTC(2026, 4, 9, 10, 21, 56),
  })
  expect(x509.point).toEqual(ofGlobalPlatform.point)
  expect(keyIdentifier(x509.point)).toBe(common.subject)
  expect(x509.isSignedBy(x509.point) || ofGlobalPlatform.isSignedBy(x509.point)).toBe(false)
})

test('a certificate is signed by its authority, and not once a byte has changed', () => {
  for (const bytes of [made, readHex(scp11Example.cardCertificate)]) {
    const found = parseCertificate(bytes)
    expect(found).toMatchObject({ authority: keyIdentifier(authorityPoint), usages: ['agreement'] })
    expect(found.subject).toBe(keyIdentifier(pointOf(card)))
    expect(found.point).toEqual(pointOf(card))
    expect(found.isSignedBy(authorityPoint)).toBe(true)
    expect(found.isSignedBy(pointOf(card))).toBe(false)
    expect(found.isSignedBy(new Uint8Array(65))).toBe(false)
    for (let at = 0; at < bytes.length; at++) {
      const changed = bytes.slice()
      changed[at] = (changed[at] ?? 0) ^ 0x01
      let isTaken = false
      try {
        isTaken = parseCertificate(changed).isSignedBy(authorityPoint)
      } catch (error) {
        expect(error).toBeInstanceOf(DecodeError)
      }
      expect(isTaken).toBe(false)
    }
  }
})

test('a day counts to its end', () => {
  const found = parseCertificate(makeCertificate({ of: card, by: authority, to: '20260331' }))
  expect(found.validTo).toBe(Date.UTC(2026, 3, 1) - 1)
  expect(found.validFrom).toBe(Date.UTC(2026, 0, 1))
})

const hex = toHex(made)
const inside = made.slice(4)
const wrap = (value: Uint8Array) => toHex(encodeTlv([{ tag: '7F21', value }]))
test.each<[string, string]>([
  ['nothing', ''],
  ['another tag', hex.replace('7F21', '7F22')],
  ['more behind it', `${hex}5300`],
  ['an object behind the signature', wrap(concat(inside, [0x53, 0x00]))],
  ['another curve', hex.replace('F00100', 'F00101')],
  ['no curve', hex.replace('F00100', '530100')],
  ['no serial number', hex.replace('930101', '940101')],
  ['two serial numbers', wrap(concat([0x93, 0x01, 0x01], inside))],
  ['31 February', toHex(makeCertificate({ of: card, by: authority, to: '20260231' }))],
  ['a day in hex', toHex(makeCertificate({ of: card, by: authority, to: '2026AB01' }))],
  [
    'a day as numbers that is none',
    toHex(makeCertificate({ of: card, by: authority, to: '141C0D1F' })),
  ],
  ['a short day', toHex(makeCertificate({ of: card, by: authority, to: '202601' }))],
  ['X.509 that is none', '3003020101'],
])('refuses %s', (_, text) => {
  const bytes = text === '' ? new Uint8Array() : readHex(text)
  expect(() => parseCertificate(bytes)).toThrow(DecodeError)
})

test('reads a store with and without its object, and at most eight certificates', () => {
  const two = concat(made, readHex(scp11Example.cardCertificate))
  const wrapped = encodeTlv([{ tag: 'BF21', value: two }])
  for (const bytes of [two, wrapped])
    expect(parseCertificates(bytes).map(({ format }) => format)).toEqual(['globalPlatform', 'x509'])
  expect(parseCertificates(new Uint8Array())).toEqual([])
  const many = concat(...Array.from({ length: 8 }, () => made))
  expect(parseCertificates(many)).toHaveLength(8)
  expect(() => parseCertificates(concat(many, made))).toThrow(DecodeError)
  expect(() => parseCertificates(encodeTlv([{ tag: 'BF21', value: wrapped }]))).toThrow(DecodeError)
})

test('takes what it wraps for these tests', () => {
  expect(wrap(inside)).toBe(hex)
})

test('whatever bytes come, they are a certificate or a DecodeError', () => {
  const sources = [made, readHex(scp11Example.cardCertificate)]
  fc.assert(
    fc.property(
      fc.constantFrom(...sources),
      fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 4 }),
      fc.nat(400),
      (source, changes, length) => {
        const bytes = source.slice(0, length)
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value
        try {
          parseCertificates(bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError)
        }
      },
    ),
    { numRuns: 500 },
  )
})
