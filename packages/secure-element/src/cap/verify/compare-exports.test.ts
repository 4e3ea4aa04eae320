import { expect, test } from 'vitest'
import { richArchive, richCap, richFormats, type RichCap } from '../../testing/rich-cap.ts'
import { compareExports } from './compare-exports.ts'

const archiveOf = (
  format: (typeof richFormats)[number],
  change: (cap: RichCap) => void = () => {},
) => {
  const cap = richCap(format)
  change(cap)
  return richArchive(cap)
}

test.each(richFormats)('a package of format %s keeps its own exports', (format) => {
  const file = archiveOf(format)
  expect(compareExports(file, file)).toEqual({ mustKeep: true, breaks: [] })
})

test('a class, a static field, a method and a signature that are gone are named', () => {
  const before = archiveOf('2.1')
  const exports = (...bytes: number[]) =>
    archiveOf('2.1', (cap) => {
      const directory = cap.contents['Directory'] ?? []
      cap.contents['Export'] = bytes
      directory[19] = bytes.length
    })
  // The base class no longer exists.
  expect(compareExports(before, exports(1, 0, 0, 0, 0)).breaks).toMatchObject([
    { code: 'class', class: 1 },
  ])
  // It lacks the static field and the constructor.
  expect(compareExports(before, exports(2, 0, 0, 0, 0, 0, 3, 0, 0)).breaks).toMatchObject([
    { code: 'field', class: 1, token: 0 },
    { code: 'staticMethod', class: 1, token: 0 },
  ])
  const shorter = archiveOf('2.1', (cap) => {
    // The type of area(S)S becomes that of install().
    const bytes = cap.contents['Descriptor'] ?? []
    bytes[14] = (bytes[14] ?? 0) + 2
  })
  expect(compareExports(before, shorter).breaks).toMatchObject([{ code: 'signature', class: 0 }])
})

test('an interface that gets a method breaks the classes that implement it', () => {
  const changed = archiveOf('2.1', (cap) => {
    const bytes = cap.contents['Descriptor'] ?? []
    bytes[10] = 1
  })
  expect(compareExports(archiveOf('2.1'), changed).breaks.map(({ code }) => code)).toContain(
    'interface',
  )
})

test('a later major version may break', () => {
  const later = archiveOf('2.1', (cap) => {
    const header = cap.contents['Header'] ?? []
    header[8] = 2
  })
  expect(compareExports(archiveOf('2.1'), later)).toEqual({ mustKeep: false, breaks: [] })
})

test('two packages have no former version', () => {
  const other = archiveOf('2.1', (cap) => {
    const header = cap.contents['Header'] ?? []
    header[15] = 9
  })
  expect(() => compareExports(archiveOf('2.1'), other)).toThrow(TypeError)
})
