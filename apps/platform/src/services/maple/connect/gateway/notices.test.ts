import { expect, test } from 'vitest'
import { endedBefore } from './gateway.queries.ts'

test.each([
  ['9', true],
  ['10', false],
  ['11', true],
  ['19', true],
  ['20', false],
  ['100', false],
])('of transaction %s a snapshot says whether it had ended', (xact, hasEnded) => {
  expect(endedBefore('10:20:10,15', xact)).toBe(hasEnded)
})
