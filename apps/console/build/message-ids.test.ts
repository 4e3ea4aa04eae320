import { expect, test } from 'vitest'
import { shortIds } from './message-ids.ts'

test('an id is cut to the beginning that no other has, and to two letters at least', () => {
  const ids = ['abcdef', 'abcxyz', 'abd123', 'Q+/8RN', 'abcdef']
  expect(Object.fromEntries(shortIds(ids))).toEqual({
    abcdef: 'abcd',
    abcxyz: 'abcx',
    abd123: 'abd',
    'Q+/8RN': 'Q+',
  })
})
