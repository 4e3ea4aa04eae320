import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isLinkId } from '../packages/contract/src/cedar/link.rules.ts'

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8')

/** The first segments of paths, such as `dashboard` of `/dashboard/maple`. */
const firstParts = (text: string, address: RegExp) =>
  new Set([...text.matchAll(address)].flatMap(([, part]) => part ?? []))

test('no page of the console has the form of a link, whose page it would hide', () => {
  const [, paths = ''] =
    /interface FileRoutesByFullPath \{(.*?)\n\}/s.exec(read('apps/console/src/routeTree.gen.ts')) ??
    []
  const pages = firstParts(paths, /'\/(\w+)[/']/g)
  expect(pages).toContain('dashboard')
  expect([...pages].filter((part) => isLinkId(part))).toEqual([])
})

test('no call begins with what has the form of a link id', () => {
  const calls = firstParts(read('routes.md'), /\w+ \/(?:api\/)?([\w-]+)/g)
  expect(calls).toContain('storage')
  expect([...calls].filter((part) => isLinkId(part))).toEqual([])
})
