import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const folders = ['apps/platform/src/services/auth/', 'apps/platform/src/', '']

interface Row {
  point: number
  where: string[]
  tests: string[]
}

const names = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

const rows: Row[] = readFileSync(`${root}docs/security/authentication.md`, 'utf8')
  .split('\n')
  .map((line) => /^\| (\d+) \| .* \| ([^|]*) \| ([^|]*) \|$/.exec(line))
  .filter((match) => match !== null)
  .map(([, point = '', where = '', tests = '']) => ({
    point: Number(point),
    where: names(where),
    tests: names(tests),
  }))

/** The file or folder that a name in the table refers to. */
const find = (name: string) =>
  folders.map((folder) => `${root}${folder}${name}`).find((path) => existsSync(path))

test('the table has the points from 1 to 25, each with its place and its test', () => {
  expect(rows.map(({ point }) => point)).toEqual(Array.from({ length: 25 }, (_, i) => i + 1))
  for (const { point, where, tests } of rows)
    expect([point, where.length > 0, tests.length > 0]).toEqual([point, true, true])
})

test.each(rows)('point $point is where the table says, and in its tests by name', (row) => {
  for (const name of row.where) expect([name, find(name)]).toEqual([name, expect.any(String)])
  for (const name of row.tests) {
    const text = readFileSync(find(name) ?? name, 'utf8')
    expect([name, new RegExp(`['"\`]point ${row.point}:`).test(text)]).toEqual([name, true])
  }
})

test('a test that is named after a point is in the row of that point', () => {
  for (const name of new Set(rows.flatMap(({ tests }) => tests))) {
    const text = readFileSync(find(name) ?? name, 'utf8')
    const points = new Set([...text.matchAll(/['"`]point (\d+):/g)].map(([, n]) => Number(n)))
    const listed = rows.filter(({ tests }) => tests.includes(name)).map(({ point }) => point)
    expect([name, [...points].toSorted((a, b) => a - b)]).toEqual([name, listed])
  }
})
