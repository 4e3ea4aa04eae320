import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeCommand } from '../apdu.ts'
import { toHex } from '../bytes.ts'
import { DecodeError } from '../decode-error.ts'
import {
  fingerprint,
  parseFingerprintStatus,
  parseFingers,
  type FingerprintCommand,
} from './fingerprint.ts'

// The first five: sentry-sdk-biometrics-ios, APDUCommand.swift.
test.each<[FingerprintCommand, string]>([
  [{ kind: 'info' }, '845904000100'],
  [{ kind: 'enrol', finger: 1 }, '84590300020001'],
  [{ kind: 'enrol', finger: 1, restart: true }, '84590300020201'],
  [{ kind: 'finishEnrolment' }, '845900000100'],
  [{ kind: 'verify' }, '80B6010000'],
  [{ kind: 'list' }, '8459050000'],
  [{ kind: 'delete', finger: 2 }, '845906000102'],
  [{ kind: 'reset' }, '84590700'],
  [{ kind: 'cancel' }, '84590800'],
  [{ kind: 'rename', finger: 1, name: 'Ы' }, '845909000301D0AB'],
])('%o is %s', (command, hex) => {
  expect(toHex(encodeCommand(fingerprint(command)))).toBe(hex)
})

test('refuses a finger or a name that the bytes cannot hold', () => {
  expect(() => fingerprint({ kind: 'delete', finger: 0 })).toThrow(DecodeError)
  expect(() => fingerprint({ kind: 'rename', finger: 1, name: 'n'.repeat(33) })).toThrow(
    DecodeError,
  )
})

test('reads any reply, or refuses it with a typed error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (data) => {
      for (const parse of [parseFingerprintStatus, parseFingers])
        try {
          parse(data)
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError)
        }
    }),
  )
  expect(parseFingers(Uint8Array.of(1, 1, 0x41, 2, 0))).toEqual([
    { finger: 1, name: 'A' },
    { finger: 2, name: '' },
  ])
})
