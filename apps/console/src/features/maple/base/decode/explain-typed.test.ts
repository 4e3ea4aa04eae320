import { setupI18n } from '@lingui/core'
import { expect, test } from 'vitest'
import { explainBytes, explainStatus } from './explain-typed.ts'

const i18n = setupI18n({ locale: 'en-US', messages: { 'en-US': {} } })

test.each([
  ['6A88', '6A88'],
  ['6a 88', '6A88'],
  ['0x6985', '6985'],
  ['SW=63C2', '63C2'],
  ['9000', '9000'],
])('%j is a status word', (text, code) => expect(explainStatus(text, i18n)?.code).toBe(code))

test.each(['', '6A8', '6A880', '1234', '6088', '6A88 00', 'kiosk'])(
  '%j is not a status word',
  (text) => expect(explainStatus(text, i18n)).toBeUndefined(),
)

test('says what the word means, and who defines it', () => {
  expect(explainStatus('6A88', i18n)).toEqual({
    code: '6A88',
    meaning: 'referenced data not found',
    source: 'GlobalPlatform 2.3.1',
  })
  expect(explainStatus('63C2', i18n)?.meaning).toContain('2')
})

test.each([
  ['80CA9F7F00', 'Command APDU', 'GET DATA · CPLC'],
  ['00A4040008A000000003000000', 'Command APDU', 'SELECT'],
  ['A0000000031010', 'AID', 'Visa'],
  ['3B8B8131FE458073C00140655653453031D6', 'Answer to reset (ATR)', 'TD1: T=1'],
  [
    '6F108408A000000151000000A5049F6501FF9000',
    'Response APDU',
    'done · issuer security domain (ISD)',
  ],
  ['4F07A0000001510000', 'BER-TLV objects', ''],
  [
    '47906B644700E4D80300816500485399064800000000000000005758594E4E4E4E4E0000000000000000',
    'CPLC',
    'NXP · 00485399',
  ],
])('%s is a %s: %s', (text, kind, summary) => {
  const found = explainBytes(text, i18n)
  expect(found?.kind).toBe(kind)
  expect(found?.summary).toContain(summary)
})

test('unrecognised bytes are not explained', () => {
  expect(explainBytes('zz', i18n)).toBeUndefined()
  expect(explainBytes('01', i18n)).toBeUndefined()
})
