import { expect, it } from 'vitest'
import { newLinkId } from './link-id.ts'

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

it('a link id has 7 characters that cannot be confused with each other', () => {
  for (let n = 0; n < 1000; n += 1) expect(newLinkId()).toMatch(/^[1-9A-HJ-NP-Za-km-z]{7}$/)
})

it('is never the first segment of one of our paths', () => {
  const draws = 'storageStorageStarage'.split('').map((letter) => alphabet.indexOf(letter))
  expect(newLinkId(() => draws.shift() ?? 0)).toBe('Starage')
})
