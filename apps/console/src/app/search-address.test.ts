import { expect, test } from 'vitest'
import { parseSearch, stringifySearch } from './search-address.ts'

test('several values are separated by commas', () => {
  expect(stringifySearch({ state: ['online', 'offline'], q: 'a b' })).toBe(
    '?state=online,offline&q=a+b',
  )
  expect(parseSearch('?state=online,offline&q=a+b')).toEqual({ state: 'online,offline', q: 'a b' })
})

test('older links with JSON still work', () => {
  expect(parseSearch('?state=%5B%22offline%22%5D&edit=true&q=%225%22')).toEqual({
    state: ['offline'],
    edit: true,
    q: '5',
  })
})

test.each(['true', '5', '1e5', '007', '[x', '["x"]', '"x"', 'a,b', 'a+b c', 'null', 'имя &=?#'])(
  'the text %j stays as typed',
  (q) => expect(parseSearch(stringifySearch({ q }))).toEqual({ q }),
)

test('an empty list, a value with a comma and a name of JavaScript itself survive', () => {
  expect(parseSearch(stringifySearch({ a: [], b: ['x,y'] }))).toEqual({ a: [], b: ['x,y'] })
  expect(Object.keys(parseSearch('?__proto__=x'))).toEqual(['__proto__'])
  expect(stringifySearch({ a: undefined })).toBe('')
})
