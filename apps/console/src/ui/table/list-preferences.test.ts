import { afterEach, expect, test, vi } from 'vitest'
import { changePreferences, parsePreferences, readPreferences } from './list-preferences.ts'

afterEach(() => void vi.unstubAllGlobals())

test('anything in the storage can be read, and invalid parts are dropped', () => {
  expect(parsePreferences(null)).toEqual({})
  expect(parsePreferences('{')).toEqual({})
  expect(parsePreferences('null')).toEqual({})
  expect(parsePreferences('{"hide":["a",1],"limit":"9","density":"huge"}')).toEqual({ hide: ['a'] })
  expect(parsePreferences('{"limit":100,"density":"compact"}')).toEqual({
    limit: 100,
    density: 'compact',
  })
  expect(parsePreferences('{"density":"cards"}')).toEqual({ density: 'cards' })
})

test('a choice is kept for each list on its own', () => {
  const stored = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  })
  changePreferences('one', { limit: 25 })
  changePreferences('one', { hide: ['id'] })
  expect(readPreferences('one')).toEqual({ limit: 25, hide: ['id'] })
  expect(readPreferences('two')).toEqual({})
  expect([...stored]).toEqual([['grove.list.one', '{"limit":25,"hide":["id"]}']])
})

test('where storage is denied, a choice lasts as long as the page', () => {
  const deny = () => {
    throw new Error('denied')
  }
  vi.stubGlobal('localStorage', { getItem: deny, setItem: deny })
  expect(readPreferences('denied')).toEqual({})
  changePreferences('denied', { density: 'compact' })
  expect(readPreferences('denied')).toEqual({ density: 'compact' })
})
