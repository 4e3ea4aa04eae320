import { expect, test } from 'vitest'
import { aidMeaning, explainAid, isIssuerAid, parseAid, registrantName } from './aid.ts'
import { readHex } from './bytes.ts'

// GlobalPlatform Card Specification 2.3.1, H.1.3, and AIDs as listed by GlobalPlatformPro, GSMA and
// NXP.
test.each([
  ['A000000151000000', 'aid.issuerSecurityDomain', 'GlobalPlatform'],
  ['A000000003000000', 'aid.oldIssuerSecurityDomain', 'Visa'],
  ['A0000001515350', 'aid.ssdPackage', 'GlobalPlatform'],
  ['A000000151535041', 'aid.ssdModule', 'GlobalPlatform'],
  ['A0000005591010FFFFFFFF8900000100', 'aid.euiccIssuerDomain', 'GSMA'],
])('%s is %s of %s', (hex, term, owner) => {
  expect(aidMeaning(hex.toLowerCase())).toEqual({ kind: 'term', term })
  expect(registrantName(hex.slice(0, 10))).toBe(owner)
  expect(isIssuerAid(hex)).toBe(/issuer/i.test(term))
})

test('names applets and packages by their proper names', () => {
  expect(aidMeaning('A0000003965453000000010300000000')).toEqual({
    kind: 'name',
    text: 'SE05x IoT applet',
  })
  expect(aidMeaning('A0000000620101')).toEqual({ kind: 'name', text: 'javacard.framework' })
  expect(aidMeaning('A0000000620199')).toBeUndefined()
})

test('splits an AID into RID and PIX', () => {
  expect(parseAid(readHex('A000000151000000'))).toEqual({ rid: 'A000000151', pix: '000000' })
  expect(explainAid(readHex('A000000151000000'))).toEqual([
    {
      name: 'rid',
      from: 0,
      to: 5,
      hex: 'A000000151',
      meaning: { kind: 'name', text: 'GlobalPlatform' },
    },
    { name: 'pix', from: 5, to: 8, hex: '000000' },
  ])
  expect(explainAid(readHex('0102030405'))).toEqual([
    { name: 'rid', from: 0, to: 5, hex: '0102030405' },
  ])
})

test.each([
  ['A0000001', '4'],
  ['A000000151'.repeat(4), '20'],
])('refuses %s, which is not 5 to 16 bytes long', (hex, found) => {
  expect(() => parseAid(readHex(hex))).toThrow(
    expect.objectContaining({ code: 'wrongLength', at: 0, expected: '5–16', found }),
  )
})
