import { expect, test } from 'vitest'
import { commandOf, rowAfter, rowsBetween } from './list-keys.ts'

const held = { altKey: false, ctrlKey: false, metaKey: false }
const press = (key: string, code = key) => commandOf({ key, code, ...held })

test('arrows move by one row and stop at the ends', () => {
  expect(rowAfter('next', 0, 3)).toBe(1)
  expect(rowAfter('next', 2, 3)).toBe(2)
  expect(rowAfter('previous', 2, 3)).toBe(1)
  expect(rowAfter('previous', 0, 3)).toBe(0)
  expect(rowAfter('first', 2, 3)).toBe(0)
  expect(rowAfter('last', 0, 3)).toBe(2)
})

test('letters are read by key position, so they also work with a Russian keyboard', () => {
  expect(press('j', 'KeyJ')).toBe('next')
  expect(press('о', 'KeyJ')).toBe('next')
  expect(press('л', 'KeyK')).toBe('previous')
  expect(press('у', 'KeyE')).toBe('edit')
})

test('keys of the list', () => {
  expect(press('ArrowDown')).toBe('next')
  expect(press('End')).toBe('last')
  expect(press('Enter')).toBe('open')
  expect(press(' ', 'Space')).toBe('toggle')
  expect(press('/', 'Slash')).toBe('search')
  expect(press('a', 'KeyA')).toBeUndefined()
})

test('keys held with Ctrl, Alt or Meta belong to the browser', () =>
  expect(commandOf({ key: 'j', code: 'KeyJ', ...held, ctrlKey: true })).toBeUndefined())

test('a range of rows is the same from both ends', () => {
  const ids = ['a', 'b', 'c', 'd']
  expect(rowsBetween(ids, 'b', 'd')).toEqual(['b', 'c', 'd'])
  expect(rowsBetween(ids, 'd', 'b')).toEqual(['b', 'c', 'd'])
  expect(rowsBetween(ids, 'gone', 'c')).toEqual(['c'])
})
