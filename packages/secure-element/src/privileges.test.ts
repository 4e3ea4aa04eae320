import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readHex, toHex } from './bytes.ts'
import {
  decodePrivileges,
  encodePrivileges,
  explainPrivileges,
  privilegeConflicts,
  privilegeNames,
} from './privileges.ts'

// martinpaljak/GlobalPlatformPro, TestParseTags.testPrivileges.
test('reads the privileges of GlobalPlatformPro', () => {
  expect(decodePrivileges(readHex('80C000'))).toEqual([
    'securityDomain',
    'trustedPath',
    'authorizedManagement',
  ])
  expect(toHex(encodePrivileges(decodePrivileges(readHex('80C000'))))).toBe('80C000')
  const all = decodePrivileges(readHex('9EFE80'))
  expect(all).toHaveLength(13)
  expect(toHex(encodePrivileges(all))).toBe('9EFE80')
})

// kaoh/globalplatform, statusTest.c.
test('reads the privileges of an eUICC domain', () => {
  expect(decodePrivileges(readHex('82FC80'))).toEqual([
    'securityDomain',
    'cvmManagement',
    'trustedPath',
    'authorizedManagement',
    'tokenVerification',
    'globalDelete',
    'globalLock',
    'globalRegistry',
    'receiptGeneration',
  ])
})

// The bytes that GlobalPlatform 2.3.1, table 11-7, gives a security domain with each privilege.
test.each([
  ['80', ['securityDomain']],
  ['C0', ['securityDomain', 'dapVerification']],
  ['A0', ['securityDomain', 'delegatedManagement']],
  ['10', ['cardLock']],
  ['08', ['cardTerminate']],
  ['04', ['cardReset']],
  ['02', ['cvmManagement']],
  ['C1', ['securityDomain', 'dapVerification', 'mandatedDapVerification']],
])('%s is %j, also in the one byte of GlobalPlatform 2.1.1', (hex, names) => {
  expect(decodePrivileges(readHex(hex))).toEqual(names)
  expect(decodePrivileges(readHex(`${hex}0000`))).toEqual(names)
})

test('explains each byte', () => {
  expect(explainPrivileges(readHex('80C000'))).toEqual([
    {
      name: 'privilegeByte',
      from: 0,
      to: 1,
      hex: '80',
      meaning: { kind: 'terms', terms: ['privilege.securityDomain'] },
    },
    {
      name: 'privilegeByte',
      from: 1,
      to: 2,
      hex: 'C0',
      meaning: {
        kind: 'terms',
        terms: ['privilege.trustedPath', 'privilege.authorizedManagement'],
      },
    },
    { name: 'privilegeByte', from: 2, to: 3, hex: '00', meaning: { kind: 'terms', terms: [] } },
  ])
})

test('authorized management excludes delegated management, and others need a domain', () => {
  const both = ['securityDomain', 'delegatedManagement', 'authorizedManagement'] as const
  expect(privilegeConflicts(both)).toEqual([
    { kind: 'excludes', privilege: 'authorizedManagement', other: 'delegatedManagement' },
  ])
  expect(() => encodePrivileges(both)).toThrow(expect.objectContaining({ code: 'conflict' }))
  expect(privilegeConflicts(['mandatedDapVerification'])).toEqual([
    { kind: 'needs', privilege: 'mandatedDapVerification', other: 'dapVerification' },
  ])
})

test('refuses two bytes', () => {
  expect(() => decodePrivileges(readHex('80C0'))).toThrow(
    expect.objectContaining({ code: 'wrongLength', at: 0, found: '2' }),
  )
})

test('every set without a conflict survives its bytes', () => {
  fc.assert(
    fc.property(fc.subarray([...privilegeNames]), (names) => {
      fc.pre(privilegeConflicts(names).length === 0)
      expect(decodePrivileges(encodePrivileges(names))).toEqual(names)
    }),
  )
})
