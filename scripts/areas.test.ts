import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { architecture, figuresOf, graphOfAll, withFigures } from './areas.ts'
import { blocksOf, filesThatReach } from './import-graph.ts'

const words = (text: string) => text.replaceAll(/\d+/g, 'n')
const numbers = (text: string) => (text.match(/\d+/g) ?? []).map(Number)

test('ARCHITECTURE.md says what areas import, and about how large they are', () => {
  const text = readFileSync(architecture, 'utf8')
  const today = withFigures(text)
  const hint = 'Run "npm run areas".'
  expect(words(text), hint).toBe(words(today))
  const written = numbers(text)
  for (const [at, number] of numbers(today).entries())
    expect(Math.abs(number - (written[at] ?? 0)), hint).toBeLessThanOrEqual(5 + number / 10)
})

test('no folders import each other across areas', () => {
  expect(figuresOf(graphOfAll()).crossing).toEqual([])
})

test('what reaches a file is found through others, and not through a cut', () => {
  const graph = new Map([
    ['a.test.ts', ['all.ts']],
    ['b.test.ts', ['helper.ts']],
    ['c.test.ts', ['other.ts']],
    ['all.ts', ['target.ts', 'other.ts']],
    ['helper.ts', ['target.ts']],
  ])
  const reaching = (cut: string[]) =>
    [...filesThatReach(graph, new Set(['target.ts']), new Set(cut))].toSorted()
  expect(reaching([])).toEqual(['a.test.ts', 'all.ts', 'b.test.ts', 'helper.ts', 'target.ts'])
  expect(reaching(['all.ts'])).toEqual(['b.test.ts', 'helper.ts', 'target.ts'])
})

test('a block is what imports each other, directly or not', () => {
  const graph = new Map(
    Object.entries({ a: ['b'], b: ['c'], c: ['a', 'd'], d: ['e'], e: ['d'], f: ['a'] }).map(
      ([node, to]) => [node, new Set(to)],
    ),
  )
  expect(blocksOf(graph)).toEqual([
    ['a', 'b', 'c'],
    ['d', 'e'],
  ])
})
