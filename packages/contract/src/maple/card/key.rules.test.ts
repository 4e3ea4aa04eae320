import { expect, test } from 'vitest'
import { mismatchFindings, mismatchOf, mismatchParams, type MismatchFacts } from './key.rules.ts'

test('findings about keys survive as texts', () => {
  for (const finding of mismatchFindings)
    for (const facts of [
      { foundVersion: 49, diversification: 'KDF3', masterName: 'Bank' },
      { foundVersion: null, diversification: null, masterName: null },
    ] as const) {
      const mismatch: MismatchFacts = { version: 255, protocol: 'SCP02', finding, ...facts }
      expect(mismatchOf(mismatchParams(mismatch))).toEqual(mismatch)
    }
})

test('a finding that is not about keys is ignored', () => {
  expect(mismatchOf({})).toBeUndefined()
  expect(mismatchOf({ finding: 'made up', protocol: 'SCP03', version: '48' })).toBeUndefined()
})
