import { expect, test } from 'vitest'
import { bytesOf } from './decode-address.ts'

test.each([
  ['decode', ''],
  ['decode=', ''],
  ['decode=80CA9F7F00', '80CA9F7F00'],
  ['decode=80%20CA', '80 CA'],
  // A malformed escape is shown as it is.
  ['decode=%E0', '%E0'],
  ['', undefined],
  ['decoder', undefined],
  ['section', undefined],
])('the hash %j decodes %j', (hash, text) => {
  expect(bytesOf(hash)).toBe(text)
})
