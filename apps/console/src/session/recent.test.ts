import { beforeEach, expect, test, vi } from 'vitest'
import { dropRecent } from './drop-recent.ts'
import { keepRecent, recentOf } from './recent.ts'

const kept = new Map<string, string>()
beforeEach(() => {
  kept.clear()
  vi.stubGlobal(
    'localStorage',
    new Proxy(
      {
        getItem: (key: string) => kept.get(key) ?? null,
        setItem: (key: string, value: string) => void kept.set(key, value),
        removeItem: (key: string) => void kept.delete(key),
      },
      {
        ownKeys: () => [...kept.keys()],
        getOwnPropertyDescriptor: (target, key) =>
          Object.getOwnPropertyDescriptor(target, key) ?? { configurable: true, enumerable: true },
      },
    ),
  )
  return () => vi.unstubAllGlobals()
})

const page = (at: number) => ({
  title: `Device ${at}`,
  href: `/dashboard/maple/devices?device=${at}`,
})

test('the latest items come first, without duplicates, at most six', () => {
  for (const at of [1, 2, 3, 4, 5, 6, 7, 2]) keepRecent('dana', page(at))
  expect(recentOf('dana')).toEqual([2, 7, 6, 5, 4, 3].map(page))
})

test('each person has their own, and signing out removes them', () => {
  kept.set('grove.locale', 'ru-RU')
  keepRecent('dana', page(1))
  keepRecent('sam', page(2))
  expect(recentOf('sam')).toEqual([page(2)])
  dropRecent()
  expect([recentOf('dana'), recentOf('sam')]).toEqual([[], []])
  expect([...kept.keys()]).toEqual(['grove.locale'])
})

test.each(['{', '{}', '[1, null, {"title":"x","href":"https://elsewhere.test/"}]'])(
  'an item that is broken or leads to another site is not shown: %s',
  (text) => {
    kept.set('grove.recent.dana', text)
    expect(recentOf('dana')).toEqual([])
  },
)
