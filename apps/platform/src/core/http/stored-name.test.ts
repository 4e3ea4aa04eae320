import { expect, test } from 'vitest'
import { storedName } from './stored-name.ts'

test('a name is stored on one line and in composed form', () => {
  expect(storedName('name', '  Cafe\u0301\n  Grove ')).toBe('Café Grove')
})

test.each([
  [' \n ', 'minLength', { limit: 1 }],
  ['\u202egnp.exe', 'format', { format: 'name' }],
  ['\u200b', 'format', { format: 'name' }],
])('%j is refused by %s', (given, code, params) => {
  expect(() => storedName('title', given)).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      errors: [expect.objectContaining({ path: 'title', code, params })],
    }),
  )
})
