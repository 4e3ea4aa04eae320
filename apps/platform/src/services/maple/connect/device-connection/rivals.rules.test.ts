import { expect, test } from 'vitest'
import { rivalsAmong, type RecentConnection } from './rivals.rules.ts'

/** Connections as `boot@ip`, each replaced by the next one. */
const replaced = (...all: string[]): RecentConnection[] =>
  all.map((each, place) => {
    const [boot = '', ip = '10.0.0.1'] = each.split('@')
    return { boot, ip, isReplaced: place < all.length - 1 }
  })

test('two devices that take the connection from each other are noticed', () => {
  expect(rivalsAmong(replaced('a@1', 'b@2', 'a@1', 'b@2'))).toEqual({ times: 3, ips: ['1', '2'] })
})

test('one device does not count as two, however often it connects', () => {
  expect(rivalsAmong([])).toBeNull()
  expect(rivalsAmong(replaced('a', 'a', 'a', 'a', 'a', 'a', 'a', 'a'))).toBeNull()
  expect(rivalsAmong(replaced('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'))).toBeNull()
  // A device that moved once, and was seen at its former place again for a moment.
  expect(rivalsAmong(replaced('a', 'b', 'a'))).toBeNull()
})

test('two devices that connect in turns without meeting are not noticed', () => {
  const apart = replaced('a', 'b', 'a', 'b').map((each) => ({ ...each, isReplaced: false }))
  expect(rivalsAmong(apart)).toBeNull()
})

test('copies with the same boot are noticed by their addresses', () => {
  expect(rivalsAmong(replaced('a@1', 'a@2', 'a@1', 'a@2', 'a@1', 'a@2', 'a@1'))).toEqual({
    times: 6,
    ips: ['1', '2'],
  })
})
