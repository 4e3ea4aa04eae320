import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const folder = fileURLToPath(new URL('.', import.meta.url))
const text = readFileSync(`${folder}../SPEC.md`, 'utf8')

const bugs = text
  .split('\n')
  .map((line) => /^\| (\d+) \| [^|]+ \| [^|]+ \| ([^|]+) \|$/.exec(line))
  .filter((match) => match !== null)
  .map(([, number = '', tested = '']) => ({
    bug: Number(number),
    files: [...tested.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  }))

test('the table has the bugs from 1 to 15', () => {
  expect(bugs.map(({ bug }) => bug)).toEqual(Array.from({ length: 15 }, (_, index) => index + 1))
})

test.each(bugs)('bug $bug has a test of its name in every file that the table says', (row) => {
  const files = readdirSync(`${folder}bugs`)
  const own = files.find((name) => Number.parseInt(name) === row.bug)
  expect(row.files).toContain(`bugs/${own}`)
  for (const name of row.files) {
    const words = readFileSync(`${folder}${name}`, 'utf8')
    const named = new RegExp(`['"\`]bugs? (\\d+ and )?${row.bug}\\b`)
    expect([name, named.test(words)]).toEqual([name, true])
  }
})

const invariants = [...text.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number))

test('the invariants are numbered one after another', () => {
  expect(invariants).toEqual(Array.from({ length: 25 }, (_, index) => index + 1))
})

test.each(invariants)('invariant %i has a test whose name begins with its number', (number) => {
  const named = new RegExp(`['"\`]I${number}: `)
  const files = ['src', 'test'].flatMap((name) =>
    readdirSync(`${folder}../${name}`, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.test.ts'))
      .map((path) => `${folder}../${name}/${path}`),
  )
  expect(files.some((path) => named.test(readFileSync(path, 'utf8')))).toBe(true)
})
