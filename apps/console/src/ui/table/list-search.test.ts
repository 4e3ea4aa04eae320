import { expect, test } from 'vitest'
import { listView, manyOf, oneOf, textOf, valuesOf } from './list-search.ts'

const known = { sorts: ['name', 'id'], columns: ['type', 'state'] } as const

test('a list’s state is read from the URL', () => {
  const search = { sort: 'id', order: 'desc', cursor: 'abc', hide: ['state'] }
  expect(listView(search, known)).toEqual(search)
})

test('unknown values in a URL are dropped', () => {
  const search = { sort: 'password', order: 'up', cursor: { a: 1 }, hide: ['name', 7] }
  const dropped = { sort: undefined, order: undefined, cursor: undefined, hide: undefined }
  // Strictly: the router would fill a missing member from the URL.
  expect(listView(search, known)).toStrictEqual(dropped)
})

test('several values are separated by commas, or a list in an older link', () => {
  expect(manyOf(['iot', 'boot'], 'boot')).toEqual(['boot'])
  expect(manyOf(['iot', 'boot'], 'boot,iot,iot')).toEqual(['iot', 'boot'])
  expect(manyOf(['iot', 'boot'], ['boot', 'iot', 'iot'])).toEqual(['iot', 'boot'])
  expect(valuesOf('foo, bar,,foo')).toEqual(['foo', 'bar'])
  expect(valuesOf(',')).toBeUndefined()
  expect(valuesOf({ a: 1 })).toBeUndefined()
  expect(oneOf(['asc'], ['asc'])).toBeUndefined()
})

test('a number in a text parameter is read as the text that was typed', () => {
  expect(textOf(42)).toBe('42')
  expect(textOf('  a ')).toBe('a')
  expect(textOf('')).toBeUndefined()
  expect(textOf('x'.repeat(300))).toHaveLength(100)
})
