import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8')

test('the visitor’s tree has every generated route outside of the dashboard', () => {
  const generated = [...read('../routeTree.gen.ts').matchAll(/^ {2}'\/_app(\/.*)': typeof /gm)]
  const ids = new Set(generated.map(([, id = '']) => id))
  const ofVisitors = [...ids].filter((id) => !/^\/(dashboard|dev)\b/.test(id))
  expect(ofVisitors.length).toBeGreaterThan(6)
  const [, pages = ''] = /const pages = \{(.*?)\n\}/s.exec(read('visitor-routes.ts')) ?? []
  const written = [...pages.matchAll(/^ {2}'(.*)': /gm)].map(([, id = '']) => id)
  expect(written.toSorted()).toEqual(ofVisitors.toSorted())
})
