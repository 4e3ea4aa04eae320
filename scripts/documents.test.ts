import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)))

/** Links to files, excluding URLs and headings. */
const linksOf = (text: string) =>
  [...text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, address = '']) => address.split('#')[0] ?? '')
    .filter((address) => address !== '' && !/^[a-z]+:|^\//.test(address))

/** Paths from the root, written in backquotes. */
const pathsOf = (text: string) =>
  [...text.matchAll(/`((?:apps|packages|scripts|bench|e2e|docs)\/[\w./$-]+)`/g)].map(
    ([, path = '']) => path,
  )

test('every link of a document leads to a file', () => {
  const missing = documents.flatMap((file) =>
    linksOf(readFileSync(join(root, file), 'utf8'))
      .filter((address) => !existsSync(join(root, dirname(file), decodeURI(address))))
      .map((address) => `${file}: ${address}`),
  )
  expect(missing).toEqual([])
})

test('every path that a document names is there', () => {
  // Decisions and the changelog describe the past.
  const current = documents.filter((file) => !/^docs\/decisions\/|^CHANGELOG/.test(file))
  const missing = current.flatMap((file) =>
    pathsOf(readFileSync(join(root, file), 'utf8'))
      .map((path) => normalize(path))
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `${file}: ${path}`),
  )
  expect(missing).toEqual([])
})
