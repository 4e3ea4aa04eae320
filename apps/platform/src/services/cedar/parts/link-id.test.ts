import { expect, it } from 'vitest'
import { newLinkId } from './link-id.ts'

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

it('a link id is 7 characters that are not mistaken for each other', () => {
  for (let n = 0; n < 1000; n += 1) expect(newLinkId()).toMatch(/^[1-9A-HJ-NP-Za-km-z]{7}$/)
})

it('is never a word that an address of ours begins with', () => {
  const draws = 'storageStorageStarage'.split('').map((letter) => alphabet.indexOf(letter))
  expect(newLinkId(() => draws.shift() ?? 0)).toBe('Starage')
})
