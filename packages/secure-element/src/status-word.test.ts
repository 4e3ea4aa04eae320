import { expect, test } from 'vitest'
import { readHex } from './bytes.ts'
import { explainStatusWord, isStatusWord, statusWord } from './status-word.ts'

// ISO/IEC 7816-4, tables 5 and 6, and GlobalPlatform Card Specification 2.3.1, chapter 11.
test.each([
  ['9000', 'success', 'success', undefined],
  ['6110', 'moreBytes', 'success', 16],
  ['6100', 'moreBytes', 'success', 256],
  ['6283', 'cardLocked', 'warning', undefined],
  ['6300', 'hostCryptogramFailed', 'warning', undefined],
  ['6310', 'moreData', 'warning', undefined],
  ['63C2', 'triesLeft', 'warning', 2],
  ['63C0', 'triesLeft', 'warning', 0],
  ['6400', 'noDiagnosis', 'error', undefined],
  ['6438', 'importedPackageMissing', 'error', undefined],
  ['6581', 'memoryFailure', 'error', undefined],
  ['6700', 'wrongLength', 'error', undefined],
  ['6881', 'channelNotSupported', 'error', undefined],
  ['6882', 'secureMessagingNotSupported', 'error', undefined],
  ['6982', 'securityStatus', 'error', undefined],
  ['6985', 'conditionsNotMet', 'error', undefined],
  ['6999', 'selectFailed', 'error', undefined],
  ['6A80', 'wrongData', 'error', undefined],
  ['6A81', 'notSupported', 'error', undefined],
  ['6A82', 'notFound', 'error', undefined],
  ['6A84', 'noSpace', 'error', undefined],
  ['6A86', 'wrongParameters', 'error', undefined],
  ['6A88', 'referenceNotFound', 'error', undefined],
  ['6C1F', 'wrongExpectedLength', 'error', 31],
  ['6D00', 'unknownInstruction', 'error', undefined],
  ['6E00', 'unknownClass', 'error', undefined],
  ['6FFF', 'internalError', 'error', undefined],
  ['9404', 'unknown', 'error', undefined],
])('%s is %s, a %s', (code, name, kind, value) => {
  const word = Number.parseInt(code, 16)
  expect(statusWord(word)).toMatchObject({ code, name, kind })
  expect(statusWord(word).value).toBe(value)
  expect(statusWord(word).source).toEqual(name === 'unknown' ? undefined : expect.any(String))
})

test('every word has a kind, and a row of its own or the row of its first byte', () => {
  for (let word = 0x6100; word <= 0x6fff; word++)
    if (isStatusWord(word)) expect(['success', 'warning', 'error']).toContain(statusWord(word).kind)
  expect(isStatusWord(0x6000)).toBe(false)
  expect(isStatusWord(0x8000)).toBe(false)
})

test('explains two bytes and refuses what is no status word', () => {
  expect(explainStatusWord(readHex('63C3'))).toEqual([
    {
      name: 'statusWord',
      from: 0,
      to: 2,
      hex: '63C3',
      meaning: { kind: 'term', term: 'status.triesLeft', value: 3 },
    },
  ])
  expect(() => explainStatusWord(readHex('1234'))).toThrow(
    expect.objectContaining({ code: 'wrongValue', at: 0, found: '1234' }),
  )
  expect(() => explainStatusWord(readHex('900000'))).toThrow(
    expect.objectContaining({ code: 'wrongLength', expected: '2', found: '3' }),
  )
})
