import { setupI18n } from '@lingui/core'
import { expect, test } from 'vitest'
import { explainStatus } from './explain-status.ts'

const i18n = setupI18n({ locale: 'en-US', messages: { 'en-US': {} } })

test.each([
  ['6A88', '6A88'],
  ['6a 88', '6A88'],
  ['0x6985', '6985'],
  ['SW=63C2', '63C2'],
  ['9000', '9000'],
])('%j is a status word', (text, code) => expect(explainStatus(text, i18n)?.code).toBe(code))

test.each(['', '6A8', '6A880', '1234', '6088', '6A88 00', 'kiosk'])('%j is none', (text) =>
  expect(explainStatus(text, i18n)).toBeUndefined(),
)

test('it says what the word means, and who defines it', () => {
  expect(explainStatus('6A88', i18n)).toEqual({
    code: '6A88',
    meaning: 'referenced data not found',
    source: 'GlobalPlatform 2.3.1',
  })
  expect(explainStatus('63C2', i18n)?.meaning).toContain('2')
})
