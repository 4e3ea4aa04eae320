import { maxSearchLength } from '@grove/contract/page.rules'
import { expect, test } from 'vitest'
import { searchTextOf } from './search-text.ts'

const cplc = '47906B644700E4D80300816500485399064800000000000000005758594E4E4E4E4E0000000000000000'

test('a CPLC in pairs is sent without its separators', () => {
  expect(searchTextOf(cplc.replaceAll(/../g, '$& '))).toBe(cplc)
  expect(searchTextOf(`9F:7F:2A:${cplc.replaceAll(/..(?=.)/g, '$&:')}`)).toBe(`9F7F2A${cplc}`)
})

test('other text is sent as typed, up to the maximum length of a search', () => {
  expect(searchTextOf('  Old Town ')).toBe('Old Town')
  expect(searchTextOf('4790 6B64')).toBe('4790 6B64')
  expect(searchTextOf('x '.repeat(100))).toHaveLength(maxSearchLength)
})
