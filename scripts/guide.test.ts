import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { counted, cut, guide, withCode } from './guide.ts'

const text = readFileSync(guide, 'utf8')
const hint = 'Run "npm run guide".'

test('the code that the guide shows is that of the sources', () => {
  expect(text.replace(counted, ''), hint).toBe(withCode(text).replace(counted, ''))
})

test('the guide says about how large the resource is', () => {
  const numbers = (of: string) => (counted.exec(of)?.[0].match(/\d+/g) ?? []).map(Number)
  const written = numbers(text)
  for (const [at, number] of numbers(withCode(text)).entries())
    expect(Math.abs(number - (written[at] ?? 0)), hint).toBeLessThanOrEqual(5 + number / 10)
})

test('the guide shows no other code', () => {
  const fences = text.match(/^```\w+$/gm) ?? []
  const commands = text.match(/^```sh$/gm) ?? []
  const cuts = text.match(/^<!-- code: /gm) ?? []
  expect(cuts.length).toBeGreaterThan(8)
  expect(fences.length - commands.length).toBe(cuts.length)
})

const source = `
const trees = {
  oak: {
    height: 3,

    age: 4,
  },
  elm: 5,
}

export const fell = (tree: string) =>
  tree === 'elm'
const last = 1
`

test.each([
  ['oak', 'oak: {\n  height: 3,\n\n  age: 4,\n},'],
  ['elm', 'elm: 5,'],
  ['export const fell', "export const fell = (tree: string) =>\n  tree === 'elm'"],
  ['const last', 'const last = 1'],
  ['birch', undefined],
])('a cut of what begins with %s is whole', (beginning, expected) => {
  expect(cut(source, beginning)).toBe(expected)
})
