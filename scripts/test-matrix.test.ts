import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import {
  embeddedAlone,
  onBothInAll,
  onBothInShort,
  onlyInAll,
  withoutDatabase,
} from './test-matrix.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const files = readdirSync(`${root}apps/platform/src`, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => `apps/platform/src/${file.replaceAll('\\', '/')}`)

const isIn = (paths: readonly string[], file: string) =>
  paths.some((path) => (path.endsWith('/') ? file.startsWith(path) : file === path))

test.each([...withoutDatabase, ...embeddedAlone, ...onBothInShort, ...onBothInAll])(
  '%s holds tests',
  (path) => {
    expect(files.filter((file) => isIn([path], file))).not.toEqual([])
  },
)

test.each(onlyInAll)('%s, which a short run leaves out, is there', (path) => {
  expect(existsSync(root + path)).toBe(true)
})

test('a short run leaves out no test that PostgreSQL skips without saying so', () => {
  const skipping = files.filter((file) =>
    /skipIf\(isPostgres\)|runIf\(!isPostgres\)|=== 'pglite'\)\(/.test(
      readFileSync(root + file, 'utf8'),
    ),
  )
  expect(skipping).not.toEqual([])
  const known = [withoutDatabase, embeddedAlone, onBothInShort, onBothInAll, onlyInAll].flat()
  expect(skipping.filter((file) => !isIn(known, file))).toEqual([])
})

test('what needs no database starts none', () => {
  const starting = files
    .filter((file) => isIn(withoutDatabase, file))
    .filter((file) =>
      /startTestServer|openDatabase\(|testDatabase/.test(readFileSync(root + file, 'utf8')),
    )
  expect(starting).toEqual([])
})

test('every service has tests that run on both databases in a short run', () => {
  const services = new Set(files.map((file) => /\/services\/(\w+)\//.exec(file)?.[1] ?? 'auth'))
  for (const service of services)
    expect(onBothInShort).toContainEqual(expect.stringContaining(`/services/${service}/`))
})
