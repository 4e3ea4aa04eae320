import { expect, test } from 'vitest'
import { matches } from './matches.ts'

test.each([
  ['', 'Devices', '', true],
  ['vice', 'Devices', '', true],
  ['firm', 'Binary images', 'firmware прошивка', true],
  ['Прошив', 'Binary images', 'firmware прошивка', true],
  ['images firm', 'Binary images', 'firmware прошивка', true],
  ['ware', 'Binary images', 'firmware прошивка', false],
  ['firmware roles', 'Binary images', 'firmware прошивка', false],
  ['…', 'Binary images', 'firmware', false],
])('%j of %j with %j: %j', (typed, title, synonyms, found) => {
  expect(matches(typed, title, synonyms)).toBe(found)
})
