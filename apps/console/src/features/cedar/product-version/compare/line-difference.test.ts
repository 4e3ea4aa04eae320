import { expect, test } from 'vitest'
import { differenceOf, maxCharacters } from './line-difference.ts'

const compared = (before: string, after: string) => {
  const found = differenceOf(before, after)
  if (found.status !== 'compared') throw new Error(found.status)
  return found
}
const signs = { same: ' ', added: '+', removed: '-' }
const shown = (before: string, after: string) =>
  compared(before, after).parts.map(({ kind, lines }) =>
    kind === 'gap' ? lines.length : lines.map((line) => signs[line.kind] + line.text).join('\n'),
  )
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}`).join('\n')

test('a changed line has its old and new text, with three equal lines around', () => {
  const before = numbers(1, 20)
  const after = before.replace('\n10\n', '\nten\n')
  expect(shown(before, after)).toEqual([6, ' 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13', 7])
  const [, part] = compared(before, after).parts
  expect(part?.lines[3]).toMatchObject({ before: 10, after: undefined })
  expect(part?.lines[4]).toMatchObject({ before: undefined, after: 10 })
})

test('a text that is new or gone is all added or all removed', () => {
  expect(shown('', 'a\nb')).toEqual(['+a\n+b'])
  expect(shown('a\nb', '')).toEqual(['-a\n-b'])
  expect(compared('a', 'a')).toMatchObject({ added: 0, removed: 0, parts: [{ kind: 'lines' }] })
})

test('Windows line endings are not a change', () => {
  expect(compared('a\r\nb\r\n', 'a\nb\n')).toMatchObject({ added: 0, removed: 0 })
})

test('a single equal line between two changes is shown: a button would take as much room', () => {
  const before = `x\n${numbers(1, 7)}\nx`
  expect(shown(before, before.replaceAll('x', 'y')).join('\n')).toBe(
    '-x\n+y\n 1\n 2\n 3\n 4\n 5\n 6\n 7\n-x\n+y',
  )
})

test('a minified script is not compared, nor is a long line drawn', () => {
  const packed = 'x'.repeat(maxCharacters)
  expect(differenceOf(packed, `${packed}y`)).toEqual({ status: 'too-large' })
  const { parts } = compared('a'.repeat(9000), 'b'.repeat(9000))
  expect(parts[0]?.lines[0]?.text).toHaveLength(1001)
})

test('texts that have nothing in common do not block the page', () => {
  const random = (seed: number) =>
    Array.from({ length: 20_000 }, (_, index) => `${(index * seed) % 7919} ${seed}`).join('\n')
  const started = performance.now()
  const found = differenceOf(random(31), random(37))
  expect(performance.now() - started).toBeLessThan(5000)
  if (found.status === 'compared') {
    expect(found.isCut).toBe(true)
    expect(found.parts.flatMap(({ lines }) => lines).length).toBeLessThanOrEqual(4000)
  } else expect(found.status).toBe('too-different')
})
