import { expect, test } from 'vitest'
import {
  filesDifference,
  manifestDifference,
  permissionsDifference,
  permissionsOf,
} from './difference.rules.ts'

const file = (path: string, content: string) => ({ path, bytes: content.length, sha256: content })
const summary = (...given: Parameters<typeof filesDifference>) =>
  filesDifference(...given).files.map(({ kind, path, from }) =>
    from === null ? `${kind} ${path}` : `${kind} ${from} → ${path}`,
  )

test('files are added, removed, changed or unchanged', () => {
  const before = [file('a.js', 'one'), file('b.js', 'two'), file('c.js', 'three')]
  const after = [file('a.js', 'one'), file('b.js', 'TWO'), file('d.js', 'four')]
  expect(summary(before, after)).toEqual(['changed b.js', 'removed c.js', 'added d.js'])
  expect(filesDifference(before, after).unchanged).toBe(1)
  expect(filesDifference(after, after)).toEqual({ files: [], unchanged: 3 })
})

test('the same bytes at another path count as moved, once each, matched by name before order', () => {
  const before = [file('old/x.js', 'x'), file('old/y.js', 'x'), file('empty.js', '')]
  const after = [file('new/y.js', 'x'), file('new/z.js', 'x'), file('other.js', '')]
  expect(summary(before, after)).toEqual([
    'removed empty.js',
    'moved old/y.js → new/y.js',
    'moved old/x.js → new/z.js',
    'added other.js',
  ])
  // One was copied: the original is still there.
  expect(summary([file('a', 'x')], [file('a', 'x'), file('b', 'x')])).toEqual(['added b'])
})

test('names that are JavaScript properties are names like others', () => {
  const names = ['__proto__', 'constructor', 'toString']
  const before = names.map((name) => file(name, 'x'))
  expect(summary(before, [])).toHaveLength(3)
  expect(manifestDifference({ a: 1 }, JSON.parse('{"a":1,"__proto__":{"polluted":true}}'))).toEqual(
    [{ path: '__proto__.polluted', before: null, after: 'true' }],
  )
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
})

test('two packages with the maximum number of files are compared immediately', () => {
  const many = (prefix: string) =>
    Array.from({ length: 2000 }, (_, index) => file(`${prefix}/${index}.js`, 'same'))
  const started = performance.now()
  expect(filesDifference(many('a'), many('b')).files).toHaveLength(2000)
  expect(performance.now() - started).toBeLessThan(1000)
})

test('permissions come from both kinds of manifest, and a malformed one has none', () => {
  expect(
    permissionsOf({
      req_permissions: [{ name: 'camera', reason: 'x' }, { name: 'camera' }, 7, null, {}],
      optPermissions: [{ name: 'location' }, 'push'],
    }),
  ).toEqual([
    { name: 'camera', isRequired: true },
    { name: 'location', isRequired: false },
    { name: 'push', isRequired: false },
  ])
  for (const odd of [null, 'text', 7, [], { req_permissions: 'camera' }])
    expect(permissionsOf(odd)).toEqual([])
  const asks = (name: string) => ({ reqPermissions: [{ name }] })
  expect(permissionsDifference(asks('camera'), asks('push'))).toEqual({
    added: [{ name: 'push', isRequired: true }],
    removed: [{ name: 'camera', isRequired: true }],
  })
})

test('differing values of manifests are named by path, and truncated if long', () => {
  const before = { name: 'Clock', version: { code: 1 }, pages: ['a', 'b'], gone: null }
  const after = { name: 'x'.repeat(500), version: { code: 2 }, pages: ['a'] }
  const changes = manifestDifference(before, after)
  expect(changes.map(({ path }) => path)).toEqual(['name', 'version.code', 'pages[1]', 'gone'])
  expect(changes[0]?.after).toHaveLength(201)
  expect(changes[2]).toEqual({ path: 'pages[1]', before: '"b"', after: null })
  const large = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`k${at}`, at]))
  expect(manifestDifference({}, large)).toHaveLength(200)
})
