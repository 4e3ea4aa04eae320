import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { routeParts } from './route-parts.ts'
import { placeOf, routeIdOf } from './route-place.ts'

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8')
const files = readdirSync(join(import.meta.dirname, '../routes/_app'), { recursive: true })
  .filter((file) => String(file).endsWith('.tsx'))
  .map((file) => `../routes/_app/${String(file)}`)
  .toSorted()

test('each route has the same place as in the generated tree', () => {
  const generated = new Map(
    [...read('../routeTree.gen.ts').matchAll(/^ {6}id: '(.*)'\n {6}path: '(.*)'\n/gm)].map(
      ([, id = '', path = '']) => [id, path],
    ),
  )
  expect(generated.size).toBeGreaterThan(30)
  const known = new Set(['/_app'])
  const placed = files.map((file) => {
    const id = routeIdOf(file)
    const { parentId, ownId, path } = placeOf(id, known)
    known.add(id)
    expect(parentId + ownId).toBe(id)
    // The generated path of an index page has no trailing slash.
    return [id, path === '/' ? path : path.replace(/\/$/, '')]
  })
  generated.delete('/_app')
  expect(Object.fromEntries(placed)).toEqual(Object.fromEntries(generated))
})

/** Whether a list of patterns includes the file; patterns with `!` exclude. */
function has(patterns: readonly string[], file: string): boolean {
  const matches = (pattern: string) =>
    new RegExp(
      `^${pattern
        .replaceAll(/[.$]/g, String.raw`\$&`)
        .replaceAll('**/', '<folders>')
        .replaceAll('*', '[^/]*')
        .replaceAll('<folders>', '(.*/)?')}$`,
    ).test(file)
  const [not, only] = [true, false].map((isNot) =>
    patterns.filter((pattern) => pattern.startsWith('!') === isNot),
  )
  return (
    (only ?? []).some((pattern) => matches(pattern)) &&
    !(not ?? []).some((pattern) => matches(pattern.slice(1)))
  )
}

test('each route loads with one part, the one that its URL needs', () => {
  const parts = [...new Set(Object.values(routeParts))]
  const modules = ['visitors', ...parts.map((part) => `routes-of/${part}`)]
  const patterns = modules.map((module) => ({
    module,
    globs: [...read(`${module}.ts`).matchAll(/'(!?\.\.\/[^']*)'/g)].map(([, glob = '']) =>
      glob.replace('../../', '../'),
    ),
  }))
  for (const file of files) {
    const found = patterns.flatMap(({ module, globs }) => (has(globs, file) ? [module] : []))
    const address = routeIdOf(file)
      .replace('/_app', '')
      .replaceAll(/\/_\w+/g, '')
      .replaceAll(/_(?=\/)/g, '')
      .replace(/(?<=.)\/$/, '')
    const part = Object.entries(routeParts).findLast(([start]) => address.startsWith(start))?.[1]
    expect([file, found]).toEqual([file, [part === undefined ? 'visitors' : `routes-of/${part}`]])
  }
})
