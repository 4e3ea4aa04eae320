import { decode } from '@grove/secure-element/decode'
import { expect, test } from 'vitest'
import { firstParts } from './first-parts.ts'

const { parts } = decode('6F108408A000000151000000A5049F6501FF')

test('keeps a tree that is short enough', () => {
  expect(firstParts(parts, 100)).toEqual({ parts, left: 0 })
})

test('keeps the first parts of a long one with their parents, and says how many are left out', () => {
  const { parts: first, left } = firstParts(parts, 5)
  const names = (list: typeof parts): string[] =>
    list.flatMap(({ name, parts: inner = [] }) => [name, ...names(inner)])
  expect(names(first)).toEqual(names(parts).slice(0, 5))
  expect(left).toBe(names(parts).length - 5)
})
